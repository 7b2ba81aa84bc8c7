package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerTextTest {

  @Test
  void plainTextOfAnyScriptIsUnchanged() {
    String text = "Grüße \u05e9\u05dc\u05d5\u05dd \u65e5\u672c \ud83d\ude00 \u200d";
    assertSame(text, PeerText.of(text));
    assertNull(PeerText.of((String) null));
    assertEquals(text, PeerText.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(
    strings = {"\n", "\r", "\u001b", "\u0000", "\u007f", "\u009b", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\u061c", "\ud800",
      "\udc00"})
  void charactersThatBeginLinesControlTerminalsOrTurnTextAreReplaced(String character) {
    assertEquals("a\ufffdb", PeerText.of("a" + character + "b"));
    assertFalse(PeerText.isPrintable("a" + character));
  }

  @Test
  void longTextIsCut() {
    assertEquals("abc\u2026", PeerText.of("abcdef", 4));
    assertEquals("abcd", PeerText.of("abcd", 4));
    // not within a pair of surrogates
    assertEquals("ab\ufffd\u2026", PeerText.of("ab\ud83d\ude00cd", 4));
    assertEquals(PeerText.MOST, PeerText.of("x".repeat(1 << 20)).length());
    assertEquals(PeerText.MOST, PeerText.of("x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8)).length());
  }
}
