package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.contract.parsers.Corpus;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parsers of this layer's messages, and the recorded bytes of its version. */
class ParsersTest implements ParserContract {
  private static final String VERSION = "rdm-" + ControlMessage.VERSIONS.highest();

  @Override
  public List<Parser> parsers() {
    return List.of(new Parser("rdm-message", IllegalArgumentException.class, ParsersTest::read));
  }

  private static ControlMessage read(byte[] bytes) {
    ByteBuffer slot = ByteBuffer.allocate(bytes.length + 8).position(8).put(bytes);
    ControlMessage message = ControlMessage.decode(MemorySegment.ofArray(slot.array()), 8, bytes.length);
    if (message == null) {
      throw new IllegalArgumentException("refused");
    }
    message.toString();
    message.encode();
    return message;
  }

  @Test
  void meansAndIsWhatWasRecorded() throws Exception {
    ControlMessage req = new ControlMessage(MessageType.REQ, new VersionRange(2, 3), 0, 0, 0x0102030405060708L, 9, 7,
      EndpointAddress.of(EndpointAddress.INET, new byte[] {0x1b, 0x59, 10, 0, 0, 1}), new byte[] {1, 2, 3});
    recorded("req", req);
    recorded("rtu", ControlMessage.of(MessageType.RTU, 3, 0x11, 3, 0x22, 9, 0));
    recorded("dreq", ControlMessage.of(MessageType.DREQ, 3, 0x11, 3, 0x22, 9, 1000));
  }

  private static void recorded(String name, ControlMessage message) throws Exception {
    Corpus.Input now = new Corpus.Input(VERSION, name, message.encode());
    Corpus.Input then = Corpus.of("rdm-message").stream().filter(input -> input.version().equals(VERSION) && input.name().equals(name))
      .findFirst()
      .orElseGet(() -> fail("not recorded: " + now.line()));
    assertEquals(then.line(), now.line(), "what is written");
    ControlMessage read = read(then.bytes());
    assertArrayEquals(message.privateData(), read.privateData());
    assertEquals(
      List.of(message.type(), message.versions(), message.receiver(), message.receiverTag(), message.sender(), message.epoch(),
        message.number(),
        String.valueOf(message.address())),
      List.of(read.type(), read.versions(), read.receiver(), read.receiverTag(), read.sender(), read.epoch(), read.number(),
        String.valueOf(read.address())));
  }
}
