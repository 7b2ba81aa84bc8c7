package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;

/**
 * A stream of frames over a channel of the JDK: length of the rest (4 bytes), number of files (1), for each whether it is for one peer (1),
 * the length of its name (1) and its name; then the message.
 */
final class ChannelSocket implements LocalSocket, ChannelSet.Selectable {
  private static final int LONGEST_NAME = 127;
  private static final int LONGEST = 1 + Message.MOST_FILES * (2 + LONGEST_NAME) + Message.MOST;
  private static final ByteBuffer WAKE = direct(frame(Message.of(Message.WAKE)));

  private final SocketChannel channel;
  private final MeetingFolder folder;
  private final ByteBuffer wake = WAKE.duplicate();
  private final ByteBuffer input = ByteBuffer.allocate(2 * (4 + LONGEST)).order(ByteOrder.nativeOrder()).flip();
  private final ArrayDeque<ByteBuffer> unsent = new ArrayDeque<>();
  /** Files for the peer that it may not have mapped yet. */
  private final List<NamedFile> underWay = new ArrayList<>();
  private boolean closed;
  /** Nobody reads what is sent. */
  private volatile boolean peerGone;

  ChannelSocket(SocketChannel channel, MeetingFolder folder) throws IOException {
    this.channel = channel;
    this.folder = folder;
    channel.configureBlocking(false);
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public int operations() {
    return SelectionKey.OP_READ;
  }

  /** The folder is this user's alone; where the system tells who is there, that is looked at too. */
  @Override
  public boolean isAdmittedTo(MeetingFolder meeting) {
    try {
      return !channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)
        || meeting.isOf(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user());
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String peer() {
    try {
      return "user " + channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    } catch (IOException | UnsupportedOperationException e) {
      return "another user";
    }
  }

  // Output

  private static ByteBuffer frame(Message message) {
    ByteBuffer frame = ByteBuffer.allocate(4 + LONGEST).order(ByteOrder.nativeOrder());
    frame.putInt(0).put((byte) message.files().size());
    for (SharedFile file : message.files()) {
      NamedFile named = (NamedFile) file;
      byte[] name = named.handOut().getBytes(StandardCharsets.US_ASCII);
      frame.put((byte) (named.isForOne() ? 1 : 0)).put((byte) name.length).put(name);
    }
    frame.put(message.bytes().array(), 0, message.bytes().position());
    return frame.putInt(0, frame.position() - 4).flip();
  }

  private static ByteBuffer direct(ByteBuffer frame) {
    return ByteBuffer.allocateDirect(frame.remaining()).put(frame).flip();
  }

  @Override
  public synchronized boolean send(Message message) {
    if (closed) {
      return false;
    }
    underWay.removeIf(file -> !file.hasName());
    ByteBuffer frame = frame(message);
    message.files().stream().map(NamedFile.class::cast).filter(NamedFile::isForOne).forEach(underWay::add);
    return transmit(frame);
  }

  private boolean transmit(ByteBuffer frame) {
    if (!flush()) {
      return false;
    }
    try {
      if (unsent.isEmpty()) {
        channel.write(frame);
      }
    } catch (IOException e) {
      return gone();
    }
    if (frame.hasRemaining()) {
      unsent.add(frame);
    }
    return true;
  }

  @Override
  public synchronized boolean flush() {
    try {
      while (!unsent.isEmpty()) {
        channel.write(unsent.peek());
        if (unsent.peek().hasRemaining()) {
          return true;
        }
        unsent.poll();
      }
      return !closed;
    } catch (IOException e) {
      return gone();
    }
  }

  private boolean gone() {
    peerGone = true;
    return false;
  }

  @Override
  public int unsent() {
    return unsent.size();
  }

  @Override
  public synchronized void wake() {
    try {
      if (!closed && unsent.isEmpty() && channel.write(wake.clear()) > 0 && wake.hasRemaining()) {
        // A part of it would make what follows unreadable.
        unsent.add(ByteBuffer.allocate(wake.remaining()).put(wake).flip());
      }
    } catch (IOException e) {
      // Its end is read.
    }
  }

  // Input

  @Override
  public Message.Received receive() {
    try {
      while (true) {
        int length = input.remaining() < 4 ? LONGEST : input.getInt(input.position());
        if (length <= 0 || length > LONGEST) {
          return end();
        }
        if (input.remaining() >= 4 + length) {
          return message(length);
        }
        input.compact();
        int n = channel.read(input);
        input.flip();
        if (n <= 0) {
          return n < 0 ? end() : null;
        }
      }
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException e) {
      return end();
    }
  }

  private Message.Received end() {
    peerGone = true;
    return new Message.Received(ByteBuffer.allocate(0), List.of());
  }

  /** @throws IllegalArgumentException if it is none */
  private Message.Received message(int length) {
    byte[] bytes = new byte[length];
    input.getInt();
    input.get(bytes);
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    int count = rest.get();
    if (count < 0 || count > Message.MOST_FILES) {
      throw new IllegalArgumentException();
    }
    List<NamedFile.Received> files = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      boolean forOne = rest.get() != 0;
      String name = new String(bytes, rest.position() + 1, rest.get(), StandardCharsets.US_ASCII);
      rest.position(rest.position() + name.length());
      if (!NamedFiles.isName(name)) {
        throw new IllegalArgumentException();
      }
      files.add(new NamedFile.Received(folder.path().resolve(name), forOne));
    }
    return new Message.Received(rest.slice().order(ByteOrder.nativeOrder()), files);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      try {
        channel.close();
      } catch (IOException e) {
        // Nothing is left to lose.
      }
      if (peerGone || !unsent.isEmpty()) {
        // A living peer maps what was sent, and removes the names by itself.
        underWay.forEach(NamedFile::remove);
      }
      unsent.clear();
    }
  }
}
