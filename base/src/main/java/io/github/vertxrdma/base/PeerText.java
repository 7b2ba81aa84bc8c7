package io.github.vertxrdma.base;

import java.nio.charset.StandardCharsets;

/**
 * Makes text of peers safe to print in logs, exceptions and terminals. Replaces characters that start a line, control a terminal or change
 * the text direction, and limits the length.
 */
public final class PeerText {
  /** Default maximum number of characters. */
  public static final int MOST = 1024;
  private static final char REPLACEMENT = '\ufffd';
  private static final char CUT = '\u2026';

  private PeerText() {
  }

  /** Decodes UTF-8 into at most {@link #MOST} safe characters. */
  public static String of(byte[] bytes) {
    return of(new String(bytes, 0, Math.min(bytes.length, 4 * MOST), StandardCharsets.UTF_8));
  }

  /** Returns at most {@link #MOST} safe characters of a text; null for null. */
  public static String of(String text) {
    return of(text, MOST);
  }

  /**
   * Returns at most {@code most} safe characters of a text; null for null.
   *
   * @param most at least 2
   */
  public static String of(String text, int most) {
    if (text == null || text.length() <= most && isPrintable(text)) {
      return text;
    }
    boolean cut = text.length() > most;
    StringBuilder out = new StringBuilder(cut ? text.substring(0, most - 1) : text);
    for (int i = 0; i < out.length(); i++) {
      if (!isPrintable(out, i)) {
        out.setCharAt(i, REPLACEMENT);
      }
    }
    return cut ? out.append(CUT).toString() : out.toString();
  }

  /** Returns whether all characters are safe to print. */
  public static boolean isPrintable(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isPrintable(text, i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPrintable(CharSequence text, int i) {
    char c = text.charAt(i);
    if (Character.isSurrogate(c)) {
      return Character.isHighSurrogate(c) ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      // Control characters for the direction of text.
      case Character.FORMAT -> c != '\u061c' && c != '\u200e' && c != '\u200f' && !(c >= '\u202a' && c <= '\u202e')
        && !(c >= '\u2066' && c <= '\u2069');
      default -> true;
    };
  }
}
