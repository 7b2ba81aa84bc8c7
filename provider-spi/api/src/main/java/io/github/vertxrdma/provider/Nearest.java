package io.github.vertxrdma.provider;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

public final class Nearest {
  private Nearest() {
  }

  /** Returns the key of the name most similar to a word; empty if none is similar. */
  public static Optional<String> of(String word, Map<String, String> names) {
    int most = Math.max(word.length() < 5 ? 1 : 2, word.length() / 3);
    return names.entrySet().stream().filter(each -> distance(word, each.getValue()) <= most)
      .min(Comparator.comparingInt(each -> distance(word, each.getValue()))).map(Map.Entry::getKey);
  }

  /** Returns the edit distance; 1 if one word begins with the other. */
  private static int distance(String one, String other) {
    String a = one.toLowerCase(Locale.ROOT);
    String b = other.toLowerCase(Locale.ROOT);
    if (Math.min(a.length(), b.length()) > 3 && (a.startsWith(b) || b.startsWith(a))) {
      return a.equals(b) ? 0 : 1;
    }
    int[][] rows = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          rows[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        rows[i][j] = Math.min(rows[i - 1][j - 1] + change, Math.min(rows[i][j - 1], rows[i - 1][j]) + 1);
        if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
          rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
      }
    }
    return rows[a.length()][b.length()];
  }
}
