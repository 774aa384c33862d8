// The solver of search/cubos.py once more, to measure it by: the same positions, table and order of moves, so
// it must look at exactly as many nodes. Reads lines "points hand0 hand1 hand2 hand3 left right seat", solves
// every move of the seat, and writes the sum of the results, the nodes and the seconds.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

typedef int64_t i64;

static const i64 SLOTS = 1 << 16, MOST_MOVES = 16, DE_BRUIJN = 0x077CB531, WORD = 0xFFFFFFFF;
static i64 fits[7], others[28 * 8], pips[28], places[32], either[64], after_tile[28 * 64];

static void prepare() {
    int tile = 0;
    for (int low = 0; low < 7; low++)
        for (int high = low; high < 7; high++, tile++) {
            fits[low] |= i64(1) << tile;
            fits[high] |= i64(1) << tile;
            pips[tile] = low + high;
            for (int number = 0; number < 8; number++) others[tile * 8 + number] = low == number ? high : low;
        }
    for (int bit = 0; bit < 32; bit++) places[(((i64(1) << bit) * DE_BRUIJN) & WORD) >> 27] = bit;
    for (int one = 0; one < 7; one++)
        for (int other = 0; other < 7; other++) {
            either[one * 8 + other] = fits[one] | fits[other];
            for (tile = 0; tile < 28; tile++)
                after_tile[tile * 64 + one * 8 + other] = fits[others[tile * 8 + one]] | fits[other];
        }
}

struct Solver {
    bool points = false;
    i64 own[4], team = 0, goal = 0, stamp = 0, nodes = 0;
    std::vector<i64> table = std::vector<i64>(SLOTS), moves = std::vector<i64>(28 * MOST_MOVES);

    static i64 place(i64 bit) { return places[((bit * DE_BRUIJN) & WORD) >> 27]; }

    static i64 sum(i64 tiles) {
        i64 total = 0;
        for (; tiles; tiles &= tiles - 1) total += pips[place(tiles & -tiles)];
        return total;
    }

    bool blocked(i64 left, i64 laid_by) {
        if (!points) return goal == 1;
        i64 difference = sum(left & (own[0] | own[2])) - sum(left & (own[1] | own[3]));
        if (difference == 0) return (laid_by & 1) != team;
        return (difference < 0) == (team == 0);
    }

    bool reached(i64 left, i64 end, i64 other, i64 laid_by, i64 depth) {
        if ((left & own[laid_by]) == 0) return (laid_by & 1) == team;
        i64 fit = either[end * 8 + other];
        if ((left & fit) == 0) return blocked(left, laid_by);
        i64 player = (laid_by + 1) & 3;
        while ((left & own[player] & fit) == 0) player = (player + 1) & 3;
        return reaches(left, end, other, player, depth);
    }

    bool reaches(i64 left, i64 end, i64 other, i64 player, i64 depth) {
        nodes++;
        i64 low = end, high = other;
        if (low > high) low = other, high = end;
        i64 key = ((left * 8 + low) * 8 + high) * 4 + player;
        i64 slot = (left * 0x2545F491) ^ (low * 0x1B873593) ^ (high * 0x3C6EF372) ^ (player * 0x05EBCA6B);
        slot = ((slot >> 7) ^ (slot >> 24)) & (SLOTS - 1);
        i64 entry = table[slot], mark = (stamp << 36) | key, sure = 0, most = 2;
        if (entry >> 4 == mark) {
            sure = (entry >> 2) & 3;
            most = entry & 3;
            if (goal <= sure) return true;
            if (goal > most) return false;
        }
        bool ours = (player & 1) == team, answer = !ours;
        i64 first = depth * MOST_MOVES, last = listed(left, low, high, player, first);
        while (last > first) {
            i64 best = first;
            for (i64 at = first + 1; at < last; at++)
                if (moves[at] > moves[best]) best = at;
            i64 move = moves[best];
            moves[best] = moves[--last];
            i64 tile = (move >> 1) & 31, covered = move & 1 ? high : low, kept = move & 1 ? low : high;
            if (reached(left & ~(i64(1) << tile), others[tile * 8 + covered], kept, player, depth + 1) == ours) {
                answer = ours;
                break;
            }
        }
        if (answer) sure = goal;
        else most = goal - 1;
        table[slot] = (mark << 4) | (sure << 2) | most;
        return answer;
    }

    i64 listed(i64 left, i64 low, i64 high, i64 player, i64 at) {
        i64 hand = left & own[player], following = left & own[(player + 1) & 3];
        i64 team = hand | (left & own[(player + 2) & 3]);
        for (i64 side = 0; side < (low == high ? 1 : 2); side++) {
            i64 covered = side ? high : low, kept = side ? low : high;
            for (i64 tiles = hand & fits[covered]; tiles; tiles &= tiles - 1) {
                i64 bit = tiles & -tiles, tile = place(bit), fit = after_tile[tile * 64 + covered * 8 + kept];
                i64 ones = ((team ^ bit) & fit) | ((following & fit) << 32);
                ones -= (ones >> 1) & 0x0555555555555555;
                ones = (ones & 0x0333333333333333) + ((ones >> 2) & 0x0333333333333333);
                ones = (ones + (ones >> 4)) & 0x0F0F0F0F0F0F0F0F;
                ones += ones >> 8;
                ones += ones >> 16;
                i64 theirs = (ones >> 32) & 63, score = 64 + (ones & 63) - 3 * theirs;
                if (theirs == 0) score += 4;
                moves[at++] = (score << 6) | (tile << 1) | side;
            }
        }
        return at;
    }

    i64 after(i64 tile, i64 covered, i64 kept, i64 player) {
        i64 left = (own[0] | own[1] | own[2] | own[3]) & ~(i64(1) << tile), shown = others[tile * 8 + covered];
        if (!points) {
            goal = 1;
            if (!reached(left, shown, kept, player, 0)) return 0;
        }
        goal = 2;
        if (reached(left, shown, kept, player, 0)) return 2;
        return points ? 0 : 1;
    }
};

int main() {
    prepare();
    Solver solver;
    long points, h0, h1, h2, h3, left, right, seat;
    i64 total = 0;
    double seconds = 0;
    while (scanf("%ld %ld %ld %ld %ld %ld %ld %ld", &points, &h0, &h1, &h2, &h3, &left, &right, &seat) == 8) {
        std::clock_t began = std::clock();
        solver.points = points;
        solver.own[0] = h0, solver.own[1] = h1, solver.own[2] = h2, solver.own[3] = h3;
        solver.team = seat & 1;
        solver.stamp++;
        for (i64 tile = 0; tile < 28; tile++) {
            if (!(solver.own[seat] >> tile & 1)) continue;
            if (fits[left] >> tile & 1) total += solver.after(tile, left, right, seat);
            if (left != right && fits[right] >> tile & 1) total += solver.after(tile, right, left, seat);
        }
        seconds += double(std::clock() - began) / CLOCKS_PER_SEC;
    }
    printf("%ld %ld %.6f\n", long(total), long(solver.nodes), seconds);
}
