package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Says bytes to a {@link ChannelSocket}, and hangs up. Those that are no frames end the socket before they are all read. */
final class ChannelFrames implements Parser.Reading {
  private final Domain domain = MappedFilesTest.device().open();

  /** Messages that come of these bytes, the last of them the end. */
  List<Message.Received> messages(byte[] bytes) throws IOException {
    List<Message.Received> messages = new ArrayList<>();
    ChannelSocket socket = new ChannelSocket(new BytesChannel(bytes), ((ShmDomain) domain).folder());
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

  void close() {
    domain.close();
  }
}
