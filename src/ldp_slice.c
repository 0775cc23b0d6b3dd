#include <math.h>

#include "ldp_slice.h"

enum { DONE, LEFT, RIGHT, WITHIN };

/* If the density is narrower than the spacing of doubles, the current point is kept. */
static void ask_within(ldp_slice *slice, ldp_stream *stream) {
    slice->stage = slice->tries > 0 ? WITHIN : DONE;
    if (slice->tries > 0)
        slice->asked = slice->left + (slice->right - slice->left) * ldp_stream_uniform(stream);
    slice->tries--;
}

static void ask_right(ldp_slice *slice, ldp_stream *stream) {
    if (slice->to_right > 0 && slice->right < LDP_SLICE_FURTHEST) {
        slice->stage = RIGHT;
        slice->asked = slice->right;
    } else {
        ask_within(slice, stream);
    }
}

static void ask_left(ldp_slice *slice, ldp_stream *stream) {
    if (slice->to_left > 0 && slice->left > -LDP_SLICE_FURTHEST) {
        slice->stage = LEFT;
        slice->asked = slice->left;
    } else {
        ask_right(slice, stream);
    }
}

ldp_slice ldp_slice_open(ldp_stream *stream, double at, double value, double width, int steps) {
    ldp_slice slice = {.at = at, .value = value, .width = width, .tries = LDP_SLICE_TRIES};
    slice.height = value + log(ldp_stream_uniform(stream));
    slice.left = at - width * ldp_stream_uniform(stream);
    slice.right = slice.left + width;
    slice.to_left = (int)(steps * ldp_stream_uniform(stream));
    slice.to_right = steps - 1 - slice.to_left;
    ask_left(&slice, stream);
    return slice;
}

static void tell_within(ldp_slice *slice, ldp_stream *stream, double value) {
    if (value >= slice->height) {
        slice->at = slice->asked;
        slice->value = value;
        slice->stage = DONE;
        return;
    }
    if (slice->asked < slice->at)
        slice->left = slice->asked;
    else
        slice->right = slice->asked;
    ask_within(slice, stream);
}

void ldp_slice_tell(ldp_slice *slice, ldp_stream *stream, double value) {
    if (slice->stage == WITHIN) {
        tell_within(slice, stream, value);
    } else if (slice->stage == LEFT) {
        const int goes_on = value > slice->height;
        slice->left -= goes_on ? slice->width : 0;
        slice->to_left -= goes_on;
        if (goes_on)
            ask_left(slice, stream);
        else
            ask_right(slice, stream);
    } else if (slice->stage == RIGHT) {
        const int goes_on = value > slice->height;
        slice->right += goes_on ? slice->width : 0;
        slice->to_right -= goes_on;
        if (goes_on)
            ask_right(slice, stream);
        else
            ask_within(slice, stream);
    }
}
