package io.github.vertxrdma.provider.contract.parsers;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Creates random, reproducible variants of inputs. Confined to one thread. */
final class Mutator {
  private static final int MOST_CHANGES = 4;
  private static final int MOST_BYTES = 1 << 16;
  private static final long[] BOUNDARIES = {0, 1, -1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fff_ffffL,
    0x8000_0000L,
    0xffff_ffffL, 0x1_0000_0000L, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 16};
  private static final String[] WORDS = {"null", "{}", "[]", "\"\"", "-1", "0", "1e999", "9223372036854775808", "true", "\"x\"", "[null]",
    "{\"\":null}", "[[[[[[[[", "\"\\ud800\"", "2147483648", "0.5"};
  private static final Change[] CHANGES = {Mutator::flipBit, Mutator::setByte, Mutator::setBoundary, Mutator::truncate, Mutator::extend,
    Mutator::splice, Mutator::repeat, Mutator::remove, Mutator::wrongLength, Mutator::resizeField, Mutator::otherWord};

  private final List<byte[]> corpus;
  private final SplittableRandom random;

  private interface Change {
    byte[] apply(Mutator mutator, byte[] input);
  }

  Mutator(List<byte[]> corpus, long seed) {
    this.corpus = corpus;
    this.random = new SplittableRandom(seed);
  }

  byte[] next() {
    byte[] input = any().clone();
    for (int left = 1 + random.nextInt(MOST_CHANGES); left > 0; left--) {
      input = CHANGES[random.nextInt(CHANGES.length)].apply(this, input);
    }
    return input.length > MOST_BYTES ? Arrays.copyOf(input, MOST_BYTES) : input;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private int place(byte[] input) {
    return random.nextInt(input.length + 1);
  }

  private byte[] flipBit(byte[] input) {
    if (input.length > 0) {
      input[random.nextInt(input.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return input;
  }

  private byte[] setByte(byte[] input) {
    if (input.length > 0) {
      input[random.nextInt(input.length)] = (byte) random.nextInt();
    }
    return input;
  }

  private byte[] setBoundary(byte[] input) {
    int width = 1 << random.nextInt(4);
    if (input.length >= width) {
      put(input, random.nextInt(input.length - width + 1), width, random.nextBoolean(), BOUNDARIES[random.nextInt(BOUNDARIES.length)]);
    }
    return input;
  }

  private byte[] truncate(byte[] input) {
    return Arrays.copyOf(input, place(input));
  }

  private byte[] extend(byte[] input) {
    byte[] more = new byte[1 << random.nextInt(12)];
    if (random.nextBoolean()) {
      random.nextBytes(more);
    }
    return replaced(input, input.length, input.length, more);
  }

  private byte[] splice(byte[] input) {
    byte[] other = any();
    return replaced(input, place(input), input.length, Arrays.copyOfRange(other, place(other), other.length));
  }

  private byte[] repeat(byte[] input) {
    int from = place(input);
    int to = from + random.nextInt(input.length - from + 1);
    return replaced(input, to, to, Arrays.copyOfRange(input, from, to));
  }

  private byte[] remove(byte[] input) {
    int from = place(input);
    return replaced(input, from, from + random.nextInt(input.length - from + 1), new byte[0]);
  }

  /** Changes a number that may be a length, because enough bytes follow it. */
  private byte[] wrongLength(byte[] input) {
    Field field = field(input);
    if (field != null) {
      int left = input.length - field.at - field.width;
      long[] wrong = {field.value - 1, field.value + 1, left, left + 1L, 0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7fff, 0x8000};
      put(input, field.at, field.width, field.big, wrong[random.nextInt(wrong.length)]);
    }
    return input;
  }

  private byte[] resizeField(byte[] input) {
    Field field = field(input);
    if (field == null) {
      return input;
    }
    byte[] content = new byte[random.nextInt(4) == 0 ? 1 << random.nextInt(12) : random.nextInt(64)];
    random.nextBytes(content);
    put(input, field.at, field.width, field.big, content.length);
    int from = field.at + field.width;
    return replaced(input, from, from + (int) field.value, content);
  }

  private byte[] otherWord(byte[] input) {
    int from = place(input);
    while (from < input.length && input[from] != ':' && input[from] != '[') {
      from++;
    }
    int to = ++from;
    while (to < input.length && input[to] != ',' && input[to] != '}' && input[to] != ']') {
      to++;
    }
    return to >= input.length ? input : replaced(input, from, to, WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8));
  }

  private record Field(int at, int width, boolean big, long value) {
  }

  private Field field(byte[] input) {
    for (int tries = 0; tries < 8; tries++) {
      int width = 1 << random.nextInt(3);
      if (input.length > width) {
        int at = random.nextInt(input.length - width);
        boolean big = random.nextBoolean();
        long value = get(input, at, width, big);
        if (value > 0 && value <= input.length - at - width) {
          return new Field(at, width, big, value);
        }
      }
    }
    return null;
  }

  private static long get(byte[] input, int at, int width, boolean big) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = value << 8 | input[at + (big ? i : width - 1 - i)] & 0xff;
    }
    return value;
  }

  private static void put(byte[] input, int at, int width, boolean big, long value) {
    for (int i = 0; i < width; i++) {
      input[at + (big ? width - 1 - i : i)] = (byte) (value >> 8 * i);
    }
  }

  private static byte[] replaced(byte[] input, int from, int to, byte[] by) {
    byte[] output = Arrays.copyOf(input, from + by.length + input.length - to);
    System.arraycopy(by, 0, output, from, by.length);
    System.arraycopy(input, to, output, from + by.length, input.length - to);
    return output;
  }
}
