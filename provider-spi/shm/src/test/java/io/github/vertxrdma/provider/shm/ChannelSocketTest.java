package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Domain;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of a peer that says what it likes: messages, and after the first that is none the end. */
@Timeout(60)
class ChannelSocketTest {
  private static final int MUTATIONS = 2_000;
  private final Domain domain = MappedFilesTest.device().open();
  private Path folder;
  private ServerSocketChannel server;

  @BeforeEach
  void listen() throws IOException {
    folder = Files.createTempDirectory("vr");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    Files.deleteIfExists(folder.resolve("s"));
    Files.delete(folder);
    domain.close();
  }

  /** Messages that come of these bytes, until their sender hangs up. */
  private List<Message.Received> read(byte[] bytes) throws IOException {
    List<Message.Received> messages = new ArrayList<>();
    try (SocketChannel stranger = SocketChannel.open(server.getLocalAddress())) {
      ChannelSocket socket = new ChannelSocket(server.accept(), ((ShmDomain) domain).folder());
      stranger.write(ByteBuffer.wrap(bytes));
      stranger.shutdownOutput();
      Message.Received message;
      do {
        message = socket.receive();
        if (message != null) {
          messages.add(message);
        }
        assertTrue(messages.size() <= bytes.length + 1, "it comes to no end");
      } while (message == null || message.bytes().hasRemaining());
      socket.close();
    }
    return messages;
  }

  private static byte[] frame(int length, int... bytes) {
    ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).order(ByteOrder.nativeOrder()).putInt(length);
    for (int each : bytes) {
      frame.put((byte) each);
    }
    return frame.array();
  }

  /** A message of four bytes with one file. */
  private static byte[] right() {
    byte[] name = ".file-1-2-3".getBytes(StandardCharsets.US_ASCII);
    byte[] frame = frame(3 + name.length + 4, new int[3 + name.length + 4]);
    frame[4] = 1;
    frame[5] = 1;
    frame[6] = (byte) name.length;
    System.arraycopy(name, 0, frame, 7, name.length);
    frame[frame.length - 4] = 6;
    return frame;
  }

  @Test
  void aMessageIsReadAndThenTheEnd() throws IOException {
    List<Message.Received> messages = read(right());
    assertEquals(2, messages.size());
    assertEquals(4, messages.getFirst().bytes().remaining());
    assertEquals(1, messages.getFirst().files().size());
  }

  static Stream<byte[]> none() {
    return Stream.of(frame(0), frame(-1), frame(1 << 20), frame(1, 2), frame(1, 1), frame(2, 1, 1), frame(3, 1, 1, 127), frame(3, 1, 1, 255),
      frame(1, 255), frame(1, 127), frame(7, 1, 1, 4, '/', 'e', 't', 'c'), frame(9, 1, 1, 6, '.', 'f', 'i', 'l', 'e', '/'),
      Arrays.copyOf(right(), right().length - 1), new byte[3]);
  }

  @ParameterizedTest
  @MethodSource("none")
  void whatIsNoMessageIsTheEnd(byte[] bytes) throws IOException {
    assertEquals(1, read(bytes).size());
  }

  @Test
  void anythingIsAMessageOrTheEnd() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = Arrays.copyOf(right(), 2 * right().length);
      System.arraycopy(right(), 0, bytes, right().length, right().length);
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      read(Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
    }
  }
}
