package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.EndDescription;
import io.github.vertxrdma.impl.node.Outage;
import io.github.vertxrdma.impl.poll.WakeFile;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Text of a peer forges no line of a log, controls no terminal, and has a bounded length, whatever field carries it. */
@Timeout(60)
class HostileTextTest {
  private static final String FORGED = "/x\nNov 29 bank\nSEVERE: lost \u001b[31m\u001b]0;owned\u0007\u009b \u202e\u2066\u2028/wake-1.word";
  private static final List<String> HOSTILE = List.of(FORGED, "x".repeat(3 * PeerText.MOST), FORGED.repeat(100));
  /** Texts in all samples, without those of the application and those whose length is the message's. */
  private static final int TEXTS = 40;

  private static void judge(String what, Object read) {
    switch (read) {
      case String text -> assertTrue(text.length() <= 2 * PeerText.MOST && PeerText.isPrintable(text), () -> what + ": "
        + PeerText.of(text));
      case Throwable failure -> {
        judge(what, String.valueOf(failure.getMessage()));
        judge(what, failure.getCause());
      }
      case Collection<?> all -> all.forEach(each -> judge(what, each));
      case EndpointAddress address -> judge(what, address.toString());
      case Record record -> {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          try {
            judge(what + '.' + component.getName(), component.getAccessor().invoke(record));
          } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
          }
        }
      }
      // Metadata are data of the application; the library prints none.
      case null, default -> {}
    }
  }

  private static void judge(String what, Supplier<Object> reading) {
    Object read;
    try {
      read = reading.get();
    } catch (RuntimeException e) {
      read = e;
    }
    judge(what, read);
  }

  /** Returns the bytes with another text in place of one that begins with its length; null if there is none. */
  private static byte[] replaced(byte[] bytes, int at, int prefix, ByteOrder order, String text) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(order);
    if (at + prefix > bytes.length) {
      return null;
    }
    long length = prefix == 1 ? in.get(at) & 0xff : prefix == 2 ? in.getShort(at) & 0xffff : in.getInt(at);
    if (length < 1 || length > bytes.length - at - prefix) {
      return null;
    }
    String before = new String(bytes, at + prefix, (int) length, StandardCharsets.US_ASCII);
    if (!before.chars().allMatch(c -> c >= ' ' && c < 127)) {
      return null;
    }
    byte[] with = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(bytes.length - (int) length + with.length).order(order).put(bytes, 0, at);
    (prefix == 1 ? out.put((byte) with.length) : prefix == 2 ? out.putShort((short) with.length) : out.putInt(with.length)).put(with);
    return out.put(bytes, at + prefix + (int) length, bytes.length - at - prefix - (int) length).array();
  }

  @Test
  void eachTextOfFramesAndEntriesIsRefusedOrPrintable() {
    int found = 0;
    for (Sample sample : Sample.all()) {
      for (int at = 0; at < sample.bytes().length; at++) {
        for (int prefix : new int[] {2, 4}) {
          for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            for (String hostile : HOSTILE) {
              byte[] bytes = replaced(sample.bytes(), at, prefix, order, hostile);
              if (bytes != null) {
                found++;
                judge(sample.name() + " at " + at, () -> sample.decoder().apply(bytes));
              }
            }
          }
        }
      }
    }
    assertTrue(found >= TEXTS * HOSTILE.size(), found + " texts");
    for (String hostile : HOSTILE) {
      judge("an outage", Outage.decode(new Outage(hostile.substring(0, 1) + '\n', "\u202e").encode()));
      judge("a description", () -> EndDescription.decode(new EndDescription(hostile, "id", EndpointAddress.of("x")).encode()));
      assertThrows(IllegalArgumentException.class, () -> EndpointAddress.of(hostile, new byte[1]));
      assertThrows(IllegalArgumentException.class, () -> EndpointAddress.of(EndpointAddress.STRING, hostile.getBytes()));
      judge("an entry of unknown kind", () -> DirectoryEntry.fromJson(new JsonObject().put("kind", hostile)));
      judge("a hexadecimal number", () -> DirectoryEntry.fromJson(Sample.NODE.toJson().put("epoch", hostile)));
      judge("an address", () -> DirectoryEntry.fromJson(new JsonObject().put("kind", "node").put("node", "a").put("addresses",
        new JsonArray().add(new JsonObject().put("fabric", "tcp").put("address", hostile)))));
    }
  }

  private static Object hostile(Type type, String text) {
    if (type instanceof ParameterizedType list) {
      return new JsonArray().add(hostile(list.getActualTypeArguments()[0], text));
    }
    if (!((Class<?>) type).isRecord()) {
      return type == String.class ? text : type == boolean.class ? (Object) true : type instanceof Class<?> c && c.isEnum() ? text : 1;
    }
    JsonObject json = new JsonObject();
    for (RecordComponent component : ((Class<?>) type).getRecordComponents()) {
      json.put(component.getName(), hostile(component.getGenericType(), text));
    }
    return json;
  }

  /** Statistics are read from peers, for the page, and from files, for {@code ./rdma stat}. */
  @Test
  void eachTextOfStatisticsIsPrintable() {
    for (String text : HOSTILE) {
      NodeStatistics read = RecordJson.read(NodeStatistics.class, (JsonObject) hostile(NodeStatistics.class, text));
      judge("statistics", read);
      judge("wrong type", () -> RecordJson.read(NodeStatistics.class, new JsonObject().put("pid", text)));
      judge("no JSON", () -> RecordJson.read(NodeStatistics.class, Buffer.buffer(text)));
    }
  }

  private static byte[] wakeAddress(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(10 + bytes.length).putShort((short) 0x0404).putLong(7).put(bytes).array();
  }

  private static void greet(Victim victim, String path) {
    RawPeer peer = victim.stranger();
    peer.send(Frame.HELLO, 0, 0, 0, new Greeting(Victim.WORD, "raw", 1, "", 0, "accept", 16 << 10, 16, 16, 64 << 20, wakeAddress(path),
      Victim.NONE, "raw").encode());
    victim.settle();
    victim.end().link.fail(new IllegalStateException("the test is over"));
    victim.settle();
  }

  @Test
  void wakeAddressIsIgnoredIfFabricWakes() {
    try (LogLines log = new LogLines(Link.class); Victim victim = new Victim(false, Waiting.WAKEUP)) {
      greet(victim, FORGED);
      assertEquals(List.of(), log.lines());
    }
  }

  @Test
  void textOfWakeAddressIsPrintableAndItsLinesAreFew() {
    long began = System.nanoTime();
    try (LogLines log = new LogLines(Link.class); Victim victim = new Victim(false, Waiting.NONE)) {
      for (int i = 0; i < 20; i++) {
        greet(victim, FORGED);
      }
      Await.until("a line is logged", () -> {
        greet(victim, FORGED);
        return !log.lines().isEmpty();
      });
      judge("the log", log.lines());
      assertTrue(log.lines().size() <= 2 + (System.nanoTime() - began) / 1_000_000_000L, log.lines()::toString);
    }
    for (String hostile : HOSTILE) {
      judge("a wake-up address", assertThrows(IOException.class, () -> WakeFile.parse(wakeAddress(hostile))));
      judge("a wake-up address", assertThrows(IOException.class, () -> WakeFile.parse(wakeAddress("/" + hostile + "/wake-1.word"))));
    }
  }
}
