package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Reads the input of a socket as a listener does. Inputs with an even first byte follow a correct request to connect. {@link #KEY} is
 * replaced by the key of a region, so that most operations find one. An honest connection of the same queue continues.
 */
final class SocketReading implements Parser.Reading {
  private static final long KEY = 0x6b65_796b_6579_6b65L;
  private static final int KEY_AT = 16;
  private static final int SLOT_AT = 24;
  private static final int LOOKED_AFTER = 50;
  private static final int REPLACED_AFTER = 1000;
  private static final int MOST = 1 << 17;

  private final ByteBuffer input = ByteBuffer.allocateDirect(MOST);
  private final ByteBuffer answers = ByteBuffer.allocateDirect(MOST);
  private Pair pair;
  private Endpoint honest;
  private SoftwareRegion region;
  private InetSocketAddress listener;
  private int inputs;

  @Override
  public void read(byte[] bytes) throws IOException {
    if (inputs++ % REPLACED_AFTER == 0) {
      replace();
    }
    try (SocketChannel stranger = SocketChannel.open(listener)) {
      // Closes without the state TIME_WAIT, which keeps the port.
      stranger.setOption(StandardSocketOptions.SO_LINGER, 0);
      stranger.configureBlocking(false);
      send(stranger, bytes);
    }
    pair.b.messages.clear();
    pair.b.completions.clear();
    pair.poll();
    if (inputs % LOOKED_AFTER == 0) {
      assertHonest();
    }
    List<Endpoint> ended = List.copyOf(pair.b.disconnected);
    pair.b.disconnected.clear();
    pair.b.connected.removeAll(ended);
    ended.forEach(Endpoint::close);
    for (Endpoint each : ended) {
      if (each.failure().reason() != Reason.DISCONNECTED) {
        throw each.failure();
      }
    }
  }

  private void replace() {
    if (pair != null) {
      pair.close();
    }
    pair = Pair.connected(Devices.require(new NioProvider(), "nio"), new PairOptions().withSlots(8, 2000));
    honest = pair.right();
    region = (SoftwareRegion) pair.b.region(4096, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC, Access.LOCAL_WRITE);
    listener = pair.listener().localAddress().toInet();
  }

  /** Sends an input, then waits until the other side has closed the connection. */
  private void send(SocketChannel stranger, byte[] bytes) {
    try {
      if (bytes.length > 0 && (bytes[0] & 1) == 0) {
        stranger.write(RawSockets.header(NioFrame.CONNECT, 0));
        while (stranger.read(answers.clear()) == 0) {
          pair.poll();
        }
      }
      fillInput(bytes);
      while (input.hasRemaining()) {
        stranger.write(input);
        pair.poll();
        stranger.read(answers.clear());
      }
      stranger.shutdownOutput();
      while (stranger.read(answers.clear()) >= 0) {
        pair.poll();
      }
    } catch (IOException e) {
      // The other side has reset the connection.
    }
  }

  private void fillInput(byte[] bytes) {
    int from = Math.min(1, bytes.length);
    input.clear().put(bytes, from, bytes.length - from).flip();
    for (int at = 0; at + NioFrame.HEADER <= input.limit(); at += 8) {
      if (input.getLong(at + KEY_AT) == KEY) {
        input.putLong(at + KEY_AT, region.secret()).putInt(at + SLOT_AT, region.slot());
      }
    }
  }

  private void assertHonest() {
    pair.a.send(pair.left(), new byte[inputs % 1000], 0);
    if (pair.message(pair.b).data().length != inputs % 1000 || honest.state() != EndpointState.CONNECTED) {
      throw new AssertionError("the honest connection was touched: " + honest.failure());
    }
  }
}
