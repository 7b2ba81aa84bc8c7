package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says bytes to a {@link ChannelSocket}, and hangs up. Those that are no frames end the socket before they are all read. */
final class ChannelFrames implements Parser.Reading {
  private final Domain domain = MappedFilesTest.device().open();
  private final Path folder = Files.createTempDirectory("vr");
  private final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);

  ChannelFrames() throws IOException {
    server.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
  }

  /** Messages that come of these bytes, the last of them the end. */
  List<Message.Received> messages(byte[] bytes) throws IOException {
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
        if (messages.size() > bytes.length + 1) {
          throw new AssertionError("it comes to no end");
        }
      } while (message == null || message.bytes().hasRemaining());
      socket.close();
    }
    return messages;
  }

  @Override
  public void read(byte[] bytes) throws IOException {
    int messages = messages(bytes).size() - 1;
    ByteBuffer whole = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int frames = 0;
    while (whole.remaining() >= 4) {
      int length = whole.getInt();
      if (length <= 0 || length > whole.remaining()) {
        break;
      }
      whole.position(whole.position() + length);
      frames++;
    }
    if (messages > frames) {
      throw new AssertionError(messages + " messages of " + frames + " frames");
    }
    if (messages < frames || whole.hasRemaining()) {
      throw new ProtocolException("frame " + messages + " is none");
    }
  }

  void close() throws IOException {
    server.close();
    Files.delete(folder.resolve("s"));
    Files.delete(folder);
    domain.close();
  }
}
