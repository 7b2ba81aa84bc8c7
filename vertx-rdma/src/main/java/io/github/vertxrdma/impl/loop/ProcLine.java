package io.github.vertxrdma.impl.loop;

/** A line of words as the kernel writes them, proc(5). */
final class ProcLine {
  private ProcLine() {
  }

  /** The number that a word begins with. @param word counted from 0 @return -1 if there is none, or the line may go on with more of it */
  static long number(byte[] line, int length, int word) {
    long number = -1;
    for (int i = 0, words = 0; i < length; i++) {
      byte next = line[i];
      if (words < word) {
        words += next == ' ' ? 1 : 0;
      } else if (next < '0' || next > '9') {
        return number;
      } else {
        number = 10 * Math.max(number, 0) + next - '0';
      }
    }
    return -1;
  }
}
