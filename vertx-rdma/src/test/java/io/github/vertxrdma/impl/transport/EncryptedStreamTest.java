package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EncryptedStreamTest {
  /** A TLS record of type handshake with an empty hello. */
  private static final String HELLO = "160301000401000000";

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ChannelPipeline pipeline = channel.pipeline();
  private final Wire wire = new Wire();
  private final EncryptedStream stream = new EncryptedStream(wire, pipeline);
  private final List<String> heard = new ArrayList<>();
  private Throwable cause;

  private void start() {
    stream.start(new ByteStream.Receiver() {
      @Override
      public void received(ByteBuf bytes) {
        heard.add("received " + bytes.readableBytes());
        bytes.release();
      }

      @Override
      public void ended() {
        heard.add("ended");
      }

      @Override
      public void closed(Throwable why) {
        heard.add("closed");
        cause = why;
      }
    });
  }

  @AfterEach
  void stop() {
    channel.close();
    for (Object out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      ReferenceCountUtil.release(out);
    }
  }

  private void useTls(boolean startsInPlaintext) throws Exception {
    pipeline.addLast(new SslHandler(SSLContext.getDefault().createSSLEngine(), startsInPlaintext));
  }

  private Throwable write(String hex) {
    Throwable[] failure = new Throwable[1];
    stream.write(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)), (v, why) -> failure[0] = why);
    return failure[0];
  }

  private void assertCut() {
    assertEquals(List.of("abort"), wire.calls);
    assertEquals(List.of("closed"), heard);
    assertEquals(RdmaException.Reason.ACCESS_DENIED, assertInstanceOf(RdmaException.class, cause).reason());
  }

  @ParameterizedTest
  @ValueSource(strings = {HELLO, "1603", "16030068656c6c6f", "474554"})
  void withoutAHandlerNothingIsSent(String hex) {
    start();
    assertInstanceOf(RdmaException.class, write(hex));
    assertCut();
    assertInstanceOf(RdmaException.class, write(HELLO));
    assertCut();
  }

  @Test
  void plaintextWrittenBeforeTheStartEndsTheStream() {
    assertInstanceOf(RdmaException.class, write("474554"));
    assertEquals(List.of(), heard);
    start();
    assertCut();
    wire.receiver.closed(null);
    assertCut();
  }

  @ParameterizedTest
  @ValueSource(strings = {HELLO, "1603", "16030068656c6c6f", "474554"})
  void withoutAHandlerNothingIsReceived(String hex) {
    start();
    wire.receiver.received(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
    assertCut();
  }

  /** STARTTLS: the first write is not encrypted. */
  @ParameterizedTest
  @ValueSource(strings = {"1603", "16030068656c6c6f", "1603010004ff000000", "474554", "15030100ff0246"})
  void nothingIsSentBeforeTheHandshake(String hex) throws Exception {
    useTls(true);
    start();
    assertInstanceOf(RdmaException.class, write(hex));
    assertCut();
  }

  @Test
  void withAHandlerAllPasses() throws Exception {
    useTls(false);
    start();
    assertNull(write(HELLO));
    assertNull(write("1703030001ff"));
    wire.receiver.received(Unpooled.wrappedBuffer(new byte[] {22}));
    wire.receiver.received(Unpooled.wrappedBuffer(new byte[] {3, 3, 0}));
    assertEquals(List.of("write 9", "write 6"), wire.calls);
    assertEquals(List.of("received 1", "received 3"), heard);
  }

  @Test
  void alertThatRefusesAHelloIsSent() throws Exception {
    useTls(false);
    start();
    assertNull(write("15030300020246"));
  }

  @Test
  void aHandlerThatIsTakenAwayIsMissed() throws Exception {
    useTls(false);
    start();
    assertNull(write(HELLO));
    pipeline.remove(SslHandler.class);
    assertInstanceOf(RdmaException.class, write("1703030001ff"));
    assertEquals(List.of("write 9", "abort"), wire.calls);
    assertFalse(heard.isEmpty());
    assertTrue(cause.getMessage().contains("requireEncryption"), cause.getMessage());
  }
}
