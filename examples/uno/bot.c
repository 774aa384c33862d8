/* An uno bot that reads with scanf: discards the first card that fits, else buys one. */
#include <stdio.h>
#include <string.h>

#define CARD 16 /* "10" and a suit of three bytes, with room to spare */

static char hand[128][CARD];
static int held = 0;
static char top[CARD], suit[CARD];
static int debt = 0;

/* A card is its value followed by a suit, and a suit is three bytes of UTF-8. */
static const char *suit_of(const char *card) { return card + strlen(card) - 3; }

static int same_value(const char *a, const char *b) {
    size_t length = strlen(a) - 3;
    return length == strlen(b) - 3 && strncmp(a, b, length) == 0;
}

static int asks_for_suit(const char *card) { return card[0] == 'A' || card[0] == 'C'; }

static void laid(const char *card, const char *asked) {
    strcpy(top, card);
    strcpy(suit, asked);
    debt = card[0] == 'V' ? 2 : card[0] == 'C' ? 4 : 0;
}

static void buy(int count) {
    printf("BUY %d\n", count);
    fflush(stdout); /* without this the line would wait in a buffer */
    for (int i = 0; i < count && held < 128; i++)
        if (scanf("%15s", hand[held]) == 1) held++;
}

static void discard(int at) {
    char card[CARD];
    strcpy(card, hand[at]);
    strcpy(hand[at], hand[--held]);
    /* an A or C asks for the suit of the next card in the hand */
    const char *asked = suit_of(asks_for_suit(card) && held > 0 ? hand[0] : card);
    char wanted[CARD];
    strcpy(wanted, asked);
    if (asks_for_suit(card)) printf("DISCARD %s %s\n", card, wanted);
    else printf("DISCARD %s\n", card);
    fflush(stdout);
    laid(card, wanted);
}

static void play(void) {
    if (debt > 0) {
        buy(debt);
        debt = 0;
        return;
    }
    for (int i = 0; i < held; i++) {
        if (same_value(hand[i], top) || strcmp(suit_of(hand[i]), suit) == 0 || asks_for_suit(hand[i])) {
            discard(i);
            return;
        }
    }
    buy(1);
}

int main(void) {
    char word[64], me[CARD] = "", card[CARD], asked[CARD];
    int count;
    while (scanf("%63s", word) == 1) {
        if (strcmp(word, "YOU") == 0) {
            if (scanf("%15s", me) != 1) break;
        } else if (strcmp(word, "HAND") == 0) {
            while (scanf("%15s", card) == 1 && strcmp(card, "]") != 0)
                if (strcmp(card, "[") != 0) strcpy(hand[held++], card);
        } else if (strcmp(word, "TABLE") == 0) {
            if (scanf("%15s", card) != 1) break;
            laid(card, suit_of(card));
        } else if (strcmp(word, "DISCARD") == 0) {
            if (scanf("%15s", card) != 1) break;
            if (!asks_for_suit(card)) laid(card, suit_of(card));
            else if (scanf("%15s", asked) == 1) laid(card, asked);
        } else if (strcmp(word, "BUY") == 0) {
            if (scanf("%d", &count) != 1) break;
            debt = 0; /* paid, by whoever it was */
        } else if (strcmp(word, "TURN") == 0) {
            if (scanf("%63s", word) != 1) break;
            if (strcmp(word, me) == 0) play();
        }
        /* PLAYERS and the names after it are read and forgotten */
    }
    return 0;
}
