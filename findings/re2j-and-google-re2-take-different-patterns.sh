#!/usr/bin/env bash
# A KIP-848 subscription by pattern is resolved in the broker by RE2/J (1.8 in Kafka 4.3 and 4.4). It and google-re2
# 1.1.20251105 do not take the same patterns: two groups of one name, \C and scripts newer than Java's tables are only
# google-re2's, while nested counts are RE2/J's, because RE2 limits the product of counts to 1000 and RE2/J each one.
. "$(dirname "$0")/support/common.sh"
python_with google-re2==1.1.20251105
jars_of com.google.re2j:re2j:1.8
cat >"$WORK/Try.java" <<'JAVA'
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

public class Try {
    public static void main(String[] patterns) {
        for (String pattern : patterns) {
            String told;
            try {
                Pattern.compile(pattern);
                told = "accepted";
            } catch (PatternSyntaxException error) {
                told = error.getDescription();
            }
            System.out.println("RE2/J      " + pattern + "  " + told);
        }
    }
}
JAVA
cat >"$WORK/try.py" <<'PY'
import sys

import re2

for pattern in sys.argv[1:]:
    try:
        re2.compile(pattern)
        told = "accepted"
    except re2.error as error:
        told = error.args[0].decode()
    print(f"google-re2 {pattern}  {told}")
PY
patterns=('(?P<a>x)(?P<a>y)' '\C' '\p{Kawi}' '((\w{1,20}){1,10}){1,6}' 'a{1001}')
says 'RE2/J      (?P<a>x)(?P<a>y)  duplicate capture group name
RE2/J      \C  invalid escape sequence
RE2/J      \p{Kawi}  invalid character class range
RE2/J      ((\w{1,20}){1,10}){1,6}  accepted
RE2/J      a{1001}  invalid repeat count' java -cp "$WORK/jars/*" "$WORK/Try.java" "${patterns[@]}"
says 'google-re2 (?P<a>x)(?P<a>y)  accepted
google-re2 \C  accepted
google-re2 \p{Kawi}  accepted
google-re2 ((\w{1,20}){1,10}){1,6}  invalid repetition size: {1,6}
google-re2 a{1001}  invalid repetition size: {1001}' "$PYTHON" "$WORK/try.py" "${patterns[@]}"
