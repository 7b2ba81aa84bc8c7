package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Text of a server or a worker becomes part of exceptions without control characters. */
@Timeout(20)
class HostileWordsTest {
  private static final String HOSTILE = "forged \u001b]0;title\u0007\u001b[2J\nWARN \u009b31m \u202e end";

  private static void assertPrintable(String text) {
    assertTrue(text.contains("forged") && PeerText.isPrintable(text), () -> text.replace("\u001b", "ESC"));
  }

  @Test
  void wordsOfWorkersArePrintable() {
    Buffer refused = Buffer.buffer().appendByte(Wire.REFUSED).appendLongLE(1).appendByte((byte) Reason.TOO_MANY_CALLS.ordinal());
    assertPrintable(assertInstanceOf(WorkerMessage.Refused.class, WorkerMessage.read(refused.appendString(HOSTILE))).words());
    Buffer ended = Buffer.buffer().appendByte(Wire.ENDED).appendByte((byte) Reason.WORKER_LOST.ordinal());
    assertPrintable(assertInstanceOf(WorkerMessage.Ended.class, WorkerMessage.read(ended.appendString(HOSTILE))).words());
  }

  @Test
  void wordsOfServersArePrintable() {
    JsonObject refusal = new JsonObject().put("request", 1).put("refused", Reason.NO_CAPACITY.name()).put("words", HOSTILE);
    LeaseLink.ServerMessage message = LeaseLink.ServerMessage.of(refusal.toBuffer());
    assertPrintable(message.words());
    assertPrintable(message.refused().getMessage());
    JsonObject grant = new JsonObject().put("version", 1).put("functions", new JsonArray()).put("lease", HOSTILE);
    assertPrintable(assertThrows(FunctionException.class, () -> LeaseAnswer.of(grant)).getMessage());
  }
}
