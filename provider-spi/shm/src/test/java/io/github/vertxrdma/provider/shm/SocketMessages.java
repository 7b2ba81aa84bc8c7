package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.shm.MemorySharing.MemorySocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Says messages to a listener's socket, with files, and hangs up. An input is a byte, even where a request to connect that is right goes before,
 * then for each message what files go with it (1 byte), its length (2) and its bytes. The key of {@link #KEY} is replaced by that of a region.
 * An honest connection of the same queue goes on, and no file and no mapping is left.
 */
final class SocketMessages implements Parser.Reading {
  /** Slot and secret that an input has for the region's. */
  private static final long KEY = 0x6b65_796b_6579_6b65L;
  private static final int MOST_MESSAGES = 12;
  private static final int LOOKED_AFTER = 50;
  private static final int REPLACED_AFTER = 1000;
  /** More than a queue needs to take what is said at once. */
  private static final int POLLS = 8;
  private static final long IDLE_MILLIS = 10_000;

  private final MemorySharing sharing = new MemorySharing();
  private final ShmDevice device = new ShmDevice(((ShmDevice) ShmDeviceTest.device()).folder(), sharing, IDLE_MILLIS);
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
    MemorySocket stranger = sharing.connect(listener);
    say(stranger, ByteBuffer.wrap(bytes));
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
      if (sharing.files() != 0) {
        throw new AssertionError(sharing.files() + " files and mappings are left");
      }
    }
    pair = Pair.connected(device, new PairOptions().withSlots(8, 2000));
    honest = pair.right();
    region = (ShmRegion) pair.b.openRegion(4096);
    listener = device.folder().socket(pair.listener().localAddress());
  }

  private void say(MemorySocket stranger, ByteBuffer input) {
    if (input.hasRemaining() && (input.get() & 1) == 0) {
      stranger.send(Message.of(Message.CONNECT).put(Message.MAGIC).put((long) inputs).put((long) inputs).put(1).put(1).put(0L));
    }
    for (int i = 0; i < MOST_MESSAGES && input.remaining() > 3; i++) {
      List<PeerFile> files = files(input.get());
      byte[] bytes = new byte[Math.min(Math.min(input.getShort() & 0xffff, input.remaining()), Message.MOST)];
      input.get(bytes);
      stranger.say(keyed(bytes), files);
    }
  }

  /** Files that may go with a message: so many of the lowest two bits, and their kinds. */
  private List<PeerFile> files(int what) {
    List<PeerFile> files = new ArrayList<>();
    for (int i = 0; i < Math.min(what & 3, Message.MOST_FILES); i++) {
      int kind = what >> 2 + 2 * i & 3;
      files.add(sharing.file(kind == 0 ? SharedFile.PAGE : kind == 1 ? Ring.DATA + Ring.SMALLEST : kind == 2 ? 3 * SharedFile.PAGE
        : Ring.DATA + 2L * Ring.LARGEST, kind != 0));
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
      ((ShmQueue) pair.b.queue()).lookAgain();
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
