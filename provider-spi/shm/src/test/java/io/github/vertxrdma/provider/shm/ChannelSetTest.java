package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Domain;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns that a set of channels gives to its sockets. */
@Timeout(60)
class ChannelSetTest {
  private static final int POLLS = 20;

  @Test
  void aPeerThatNeverRestsHasNoMoreTurnsOfAPollForThat() throws IOException {
    Path path = Files.createTempDirectory("vr").resolve("s");
    try (Domain domain = MappedFilesTest.device().open();
         ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
         SocketChannel peer = SocketChannel.open(server.getLocalAddress())) {
      peer.configureBlocking(false);
      ChannelSet set = new ChannelSet(((ShmDomain) domain).folder());
      ChannelSocket socket = new ChannelSocket(server.accept(), ((ShmDomain) domain).folder());
      int[] turns = new int[1];
      set.watch(socket, () -> {
        turns[0]++;
        set.receive(socket, message -> { });
      });
      for (int i = 0; i < POLLS; i++) {
        flood(peer);
        turns[0] = 0;
        set.poll();
        assertTrue(turns[0] <= 2, turns[0] + " turns in poll " + i);
      }
      socket.close();
      set.close();
    } finally {
      Files.delete(path);
      Files.delete(path.getParent());
    }
  }

  /** Sends as many messages as there is room for: to wake up, without files. */
  private static void flood(SocketChannel peer) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9).order(ByteOrder.nativeOrder()).putInt(5).put((byte) 0).putInt(Message.WAKE).flip();
    while (peer.write(frame.rewind()) == frame.capacity()) {
      // There is room for more.
    }
  }
}
