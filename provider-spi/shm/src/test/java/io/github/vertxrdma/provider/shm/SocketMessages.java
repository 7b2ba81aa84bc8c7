package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends messages with files to a listener's socket, and closes it. An input is a byte, even if a valid request to connect is sent first,
 * then for each message its files (1 byte), its length (2) and its bytes. {@link #KEY} is replaced by the key of a region. An honest
 * connection of the same queue keeps working, and no file, mapping or socket is left.
 */
final class SocketMessages implements Parser.Reading {
  private static final long KEY = 0x6b65_796b_6579_6b65L;
  private static final int MOST_MESSAGES = 12;
  private static final int LOOKED_AFTER = 50;
  private static final int REPLACED_AFTER = 500;
  private static final int POLLS = 8;
  /** Files that go with messages, by their kind in an input. */
  private static final List<AnonymousFile> FILES = List.of(AnonymousFile.create(AnonymousFile.PAGE, false),
    AnonymousFile.create(Ring.DATA + Ring.SMALLEST, true), AnonymousFile.create(3 * AnonymousFile.PAGE, true),
    AnonymousFile.create(Ring.DATA + 2L * Ring.LARGEST, true));

  private final ShmDevice device = (ShmDevice) ShmDeviceTest.device();
  private int before;
  private Pair pair;
  private Endpoint honest;
  private ShmRegion region;
  private String listener;
  private int inputs;

  @Override
  public void read(byte[] bytes) {
    if (inputs++ % REPLACED_AFTER == 0) {
      replace();
    }
    DescriptorSocket stranger = new DescriptorSocket(SystemCalls.socket());
    if (SystemCalls.connect(stranger.fd, listener) != 0) {
      throw new AssertionError("the listener cannot be reached");
    }
    send(stranger, ByteBuffer.wrap(bytes));
    poll();
    stranger.close();
    poll();
    if (inputs % LOOKED_AFTER == 0) {
      assertHonest();
    }
    List<Endpoint> over = List.copyOf(pair.b.disconnected);
    pair.b.disconnected.clear();
    pair.b.connected.removeAll(over);
    over.forEach(Endpoint::close);
    for (Endpoint each : over) {
      ProviderException cause = each.failure();
      if (cause != null && cause.reason() != Reason.DISCONNECTED) {
        throw cause;
      }
    }
  }

  private void replace() {
    if (pair != null) {
      pair.close();
      Await.until("no file, mapping or socket is left", () -> Attacker.held().size() == before, () -> 0,
        () -> before + ": " + Attacker.held());
    } else {
      ShmDeviceTest.awaitAbandonedNames();
    }
    Await.until("all sockets are closed", () -> StrayDescriptors.unclosed() == 0, () -> 0, () -> StrayDescriptors.unclosed() + " are not");
    before = Attacker.held().size();
    pair = Pair.connected(device, new PairOptions().withSlots(8, 2000));
    honest = pair.right();
    region = (ShmRegion) pair.b.openRegion(4096);
    listener = device.folder.socket(pair.listener().localAddress());
  }

  private void send(DescriptorSocket stranger, ByteBuffer input) {
    if (input.hasRemaining() && (input.get() & 1) == 0) {
      stranger.send(connect(inputs, inputs));
    }
    for (int i = 0; i < MOST_MESSAGES && input.remaining() > 3; i++) {
      List<AnonymousFile> files = files(input.get());
      byte[] bytes = new byte[Math.min(Math.min(input.getShort() & 0xffff, input.remaining()), SocketMessage.MOST)];
      input.get(bytes);
      stranger.send(new SocketMessage(keyed(bytes), files));
    }
  }

  static SocketMessage connect(long high, long low) {
    return connect(SocketMessage.VERSIONS, high, low);
  }

  static SocketMessage connect(VersionRange versions, long high, long low) {
    return SocketMessage.of(SocketMessage.CONNECT,
      out -> out.i64(SocketMessage.magic(versions)).i32((int) SystemCalls.userId()).i64(high).i64(low)
        .i32(1).i32(1).i64(0).bytes(LinkKey.nothing()));
  }

  /** Returns the files of a message: their number is in the lowest two bits, their kinds above. */
  private static List<AnonymousFile> files(int what) {
    List<AnonymousFile> files = new ArrayList<>();
    for (int i = 0; i < Math.min(what & 3, SocketMessage.MOST_FILES); i++) {
      files.add(FILES.get(what >> 2 + 2 * i & 3));
    }
    return files;
  }

  private byte[] keyed(byte[] message) {
    ByteBuffer bytes = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
    for (int at = 4; at + 12 <= message.length; at += 4) {
      if (bytes.getLong(at + 4) == KEY) {
        bytes.putInt(at, region.slot()).putLong(at + 4, region.secret());
      }
    }
    return message;
  }

  private void poll() {
    for (int i = 0; i < POLLS; i++) {
      ((ShmQueue) pair.b.queue()).checkSockets();
      pair.poll();
    }
  }

  private void assertHonest() {
    pair.a.send(pair.left(), new byte[inputs % 1000], 0);
    if (pair.message(pair.b).data().length != inputs % 1000 || honest.state() != EndpointState.CONNECTED) {
      throw new AssertionError("the honest connection was touched: " + honest.failure());
    }
  }
}
