/* A bot for uno, written from the competition's template. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CARDS 108
#define MAX_CARD_SIZE 8
#define MAX_LINE 2000
#define MAX_ID_SIZE 10

typedef struct {
  char cards[MAX_CARDS][MAX_CARD_SIZE];
  int size;
} Hand;

static Hand hand;
static char table[MAX_CARD_SIZE]; /* the card on the table */
static char suit[MAX_CARD_SIZE];  /* the suit to follow */
static int debt;                  /* cards that must be bought */

static void debug(const char *text) { fprintf(stderr, "%s\n", text); }

static int rank_size(const char *card) { return card[0] == '1' ? 2 : 1; }

static const char *suit_of(const char *card) { return card + rank_size(card); }

static int is_wild(const char *card) { return card[0] == 'A' || card[0] == 'C'; }

static void lay(const char *card, const char *asked) {
  strcpy(table, card);
  strcpy(suit, asked);
  debt = card[0] == 'V' ? 2 : card[0] == 'C' ? 4 : 0;
}

static int fits(const char *card) {
  int size = rank_size(card);
  if (is_wild(card) || strcmp(suit_of(card), suit) == 0) return 1;
  return size == rank_size(table) && strncmp(card, table, size) == 0;
}

static void read_hand(char *line) {
  char *card = strtok(line, " []");
  while (card != NULL) {
    strcpy(hand.cards[hand.size++], card);
    card = strtok(NULL, " []");
  }
}

static void buy(int count) {
  printf("BUY %d\n", count);
  for (int i = 0; i < count; i++)
    if (scanf("%7s", hand.cards[hand.size]) == 1) hand.size++;
  debt = 0;
}

static void discard(int at) {
  char card[MAX_CARD_SIZE];
  strcpy(card, hand.cards[at]);
  hand.size--;
  if (at != hand.size) strcpy(hand.cards[at], hand.cards[hand.size]);
  if (is_wild(card)) {
    const char *asked = suit_of(hand.size > 0 ? hand.cards[0] : card);
    printf("SAY agora é %s\n", asked);
    printf("DISCARD %s %s\n", card, asked);
    lay(card, asked);
  } else {
    printf("DISCARD %s\n", card);
    lay(card, suit_of(card));
  }
  debt = 0; /* it is the next player's */
}

static void act(void) {
  if (debt > 0) {
    buy(debt);
    return;
  }
  for (int i = 0; i < hand.size; i++)
    if (fits(hand.cards[i])) {
      discard(i);
      return;
    }
  buy(1);
}

int main(void) {
  char line[MAX_LINE], id[MAX_ID_SIZE];
  char action[MAX_LINE], complement[MAX_LINE], asked[MAX_LINE];

  setbuf(stdin, NULL);
  setbuf(stdout, NULL);
  setbuf(stderr, NULL);

  if (scanf("PLAYERS %1999[^\n]\n", line) != 1) return 1;
  if (scanf("YOU %9s\n", id) != 1) return 1;
  if (scanf("HAND %1999[^\n]\n", line) != 1) return 1;
  if (scanf("TABLE %7s\n", table) != 1) return 1;
  read_hand(line);
  lay(table, suit_of(table));
  debt = 0;
  debug("the game begins");

  while (1) {
    do {
      if (scanf("%1999s %1999s", action, complement) != 2) return 0;
      if (strcmp(action, "DISCARD") == 0) {
        strcpy(asked, suit_of(complement));
        if (is_wild(complement) && scanf("%1999s", asked) != 1) return 0; /* the third word */
        lay(complement, asked);
      } else if (strcmp(action, "BUY") == 0) {
        debt = 0;
      }
    } while (strcmp(action, "TURN") != 0 || strcmp(complement, id) != 0);
    act();
  }
}
