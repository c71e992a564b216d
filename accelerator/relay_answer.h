/* Whether an answer is what nearly all small ones are, so that the next fetch follows from it: `plain.h` without objects.
 *
 * Here it is checked to the last record, so that `decode_plain` makes columns of whatever is let pass here. It has to
 * have records of each partition that it tells of, or to tell of none.
 */
#ifndef KAFKA_NEXTGEN_RELAY_ANSWER_H
#define KAFKA_NEXTGEN_RELAY_ANSWER_H

#include "decode.h"
#include "relay_places.h"

#define MOST_ANSWER 16384 /* bytes; larger ones are not for a relay */
#define MOST_RECORDS (MOST_ANSWER / LEAST_RECORD_BYTES + 1)
#define MOST_BATCHES (MOST_ANSWER / HEADER_SIZE + 1)
#define MOST_MOVES (MOST_ANSWER / PARTITION_HEAD + 1)

/* A partition that was answered, and where it goes on. */
typedef struct {
    Place *place;
    int64_t next_offset;
    int32_t end_epoch; /* -1 if it is not told */
} Move;

/* What was found in an answer, and room to look at it. */
typedef struct {
    Move moves[MOST_MOVES];
    int move_count;
    int64_t records, data_bytes; /* that are handed over */
    Batch batches[MOST_BATCHES];
    int64_t offsets[MOST_RECORDS], timestamps[MOST_RECORDS];
    int32_t leader_epochs[MOST_RECORDS], key_bounds[MOST_RECORDS + 1], value_bounds[MOST_RECORDS + 1];
    int8_t timestamp_types[MOST_RECORDS];
    uint8_t keys[MOST_ANSWER], values[MOST_ANSWER], no_nulls[2][MOST_RECORDS / 8 + 1];
} Findings;

/* Read the records of batches that were checked; how many are wanted, -1 if not all is sound. */
static int32_t count_records(Findings *findings, Walk walk) {
    Work work = {.batches = findings->batches, .fetch_offset = walk.fetch_offset};
    Columns columns = {findings->offsets, findings->timestamps, findings->leader_epochs, findings->timestamp_types,
                       {0, 0, 0, findings->keys, findings->key_bounds, findings->no_nulls[0]},
                       {0, 0, 0, findings->values, findings->value_bounds, findings->no_nulls[1]}, {0, 0, 0, 0}};
    if (note_batches(&work, walk) != SOUND ||
        read_batches(work.batches, work.batch_count, work.fetch_offset, &columns) != SOUND)
        return -1;
    findings->data_bytes += work.payload_bytes;
    return columns.keys.entries;
}

/* 1 if there are records where it was asked for them, and nothing but sound ones. */
static int check_part(Findings *findings, const Part *part, Place *place, int check_crc) {
    Walk walk = {part->records, part->end, place->offset, 0, NULL, NULL, -1};
    Walk begin = walk;
    Py_ssize_t compressed = 0;
    if (begins_compressed(&walk) || check_batches(&walk, check_crc, &compressed) == ODD || compressed > 0 ||
        walk.log_offset <= place->offset)
        return 0;
    int32_t records = count_records(findings, begin);
    if (records <= 0)
        return 0;
    findings->records += records;
    findings->moves[findings->move_count++] = (Move){place, walk.log_offset, walk.end_epoch};
    return 1;
}

/* Whether a partition has been answered before. */
static int is_answered(const Findings *findings, const Place *place) {
    for (int i = 0; i < findings->move_count; i++)
        if (findings->moves[i].place == place)
            return 1;
    return 0;
}

/* Whether a topic has been answered before. */
static int is_topic_answered(const Findings *findings, const uint8_t *topic) {
    for (int i = 0; i < findings->move_count; i++)
        if (memcmp(findings->moves[i].place->topic, topic, TOPIC_ID) == 0)
            return 1;
    return 0;
}

static int check_next_part(Findings *findings, Cursor *cursor, const uint8_t *topic, const Places *places, int check_crc) {
    Part part;
    if (!read_part(cursor, &part))
        return 0;
    Place *place = find_place(places, topic, part.number);
    return place != NULL && !is_answered(findings, place) && check_part(findings, &part, place, check_crc);
}

static int check_topic(Findings *findings, Cursor *cursor, const Places *places, int check_crc) {
    const uint8_t *topic = cursor->at;
    if (!left_of(cursor, TOPIC_ID) || is_topic_answered(findings, topic))
        return 0;
    cursor->at += TOPIC_ID;
    int is_plain = 1, count = read_count(cursor);
    for (int left = count; left > 0 && is_plain; left--)
        is_plain = check_next_part(findings, cursor, topic, places, check_crc);
    return is_plain && count > 0 && read_no_tags(cursor); /* of an empty topic nobody knows whether it was asked for */
}

/* 1 if an answer in this session, without its header, is plain from its beginning to its end. */
static int check_answer(Findings *findings, Cursor cursor, int32_t session_id, const Places *places, int check_crc) {
    static const uint8_t nothing_odd[6]; /* no throttle time, no error */
    findings->move_count = 0, findings->records = 0, findings->data_bytes = 0;
    if (!left_of(&cursor, ANSWER_HEAD) || memcmp(cursor.at, nothing_odd, sizeof nothing_odd) != 0 ||
        int32_at(cursor.at + sizeof nothing_odd) != session_id)
        return 0;
    cursor.at += ANSWER_HEAD;
    int is_plain = 1, count = read_count(&cursor);
    for (int left = count; left > 0 && is_plain; left--)
        is_plain = check_topic(findings, &cursor, places, check_crc);
    return is_plain && count >= 0 && read_no_tags(&cursor) && cursor.at == cursor.end;
}

#endif
