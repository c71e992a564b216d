import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** For each line of base64, a pattern: which of the names in the arguments match whole, as 0 and 1; or its error. */
public class Re2jVerdicts {
    public static void main(String[] names) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(verdict(new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8), names));
        }
    }

    private static String verdict(String text, String[] names) {
        try {
            Pattern pattern = Pattern.compile(text);
            StringBuilder matches = new StringBuilder();
            for (String name : names) {
                matches.append(pattern.matcher(name).matches() ? '1' : '0');
            }
            return matches.toString();
        } catch (PatternSyntaxException refusal) {
            return "refused";
        }
    }
}
