package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Reads what a socket says to a listener, to the end of the socket. Inputs of an even first byte are said behind a request to connect that is
 * right. The key of {@link #KEY} is replaced by that of a region, so that most operations find one. An honest connection of the same queue goes on.
 */
final class SocketReading implements Parser.Reading {
  /** The key that an input has for the region's. */
  private static final long KEY = 0x6b65_796b_6579_6b65L;
  private static final int KEY_AT = 16;
  private static final int SLOT_AT = 24;
  private static final int LOOKED_AFTER = 50;
  private static final int REPLACED_AFTER = 200;

  private final ByteBuffer answers = ByteBuffer.allocate(1 << 16);
  private Pair pair;
  private Endpoint honest;
  private NioMemoryRegion region;
  private SocketAddress listener;
  private int inputs;

  @Override
  public void read(byte[] bytes) throws IOException {
    if (inputs++ % REPLACED_AFTER == 0) {
      replace();
    }
    int before = pair.b.disconnected.size();
    try (SocketChannel stranger = SocketChannel.open(listener)) {
      stranger.configureBlocking(false);
      say(stranger, keyed(bytes));
    }
    if (inputs % LOOKED_AFTER == 0) {
      assertHonest();
    }
    pair.b.connected.removeIf(this::isOver);
    if (pair.b.disconnected.size() > before && pair.b.disconnected.getLast().failure() instanceof ProviderException refused) {
      throw refused;
    }
  }

  private void replace() {
    if (pair != null) {
      pair.close();
    }
    pair = Pair.connected(BackEnds.linux(), new PairOptions().withSlots(8, 2000));
    honest = pair.right();
    region = (NioMemoryRegion) pair.b.region(4096, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC, Access.LOCAL_WRITE);
    listener = pair.listener().localAddress().toInet();
  }

  /** Until the listener's side has hung up. */
  private void say(SocketChannel stranger, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        stranger.write(bytes);
        pair.poll();
        stranger.read(answers.clear());
      }
      stranger.shutdownOutput();
      while (stranger.read(answers.clear()) >= 0) {
        pair.poll();
      }
    } catch (IOException e) {
      // The other side has reset it: what it did not read is gone.
    }
    pair.b.messages.clear();
    pair.b.completions.clear();
  }

  private ByteBuffer keyed(byte[] input) {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.HEADER + input.length);
    int from = input.length == 0 ? 0 : 1;
    if (from == 1 && (input[0] & 1) == 0) {
      Frame.put(bytes, Frame.CONNECT, 0, 0, 0, Frame.MAGIC, Frame.VERSION, 16, 0, 0);
    }
    int begin = bytes.position();
    bytes.put(input, from, input.length - from).flip();
    for (int at = begin; at + Frame.HEADER <= bytes.limit(); at += 8) {
      if (bytes.getLong(at + KEY_AT) == KEY) {
        bytes.putLong(at + KEY_AT, region.secret()).putInt(at + SLOT_AT, region.slot());
      }
    }
    return bytes;
  }

  private boolean isOver(Endpoint endpoint) {
    return endpoint != honest && pair.b.disconnected.contains(endpoint);
  }

  private void assertHonest() {
    pair.a.send(pair.left(), new byte[inputs % 1000], 0);
    if (pair.message(pair.b).data().length != inputs % 1000 || honest.state() != EndpointState.CONNECTED) {
      throw new AssertionError("the honest connection was touched: " + honest.failure());
    }
  }
}
