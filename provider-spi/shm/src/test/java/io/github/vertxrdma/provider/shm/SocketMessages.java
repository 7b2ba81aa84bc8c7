package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Says messages to a listener's socket, with files, and hangs up. An input is a byte, even where a request to connect that is right goes before,
 * then for each message what files go with it (1 byte), its length (2) and its bytes. The key of {@link #KEY} is replaced by that of a region.
 * An honest connection of the same queue goes on, and no descriptor is left.
 */
final class SocketMessages implements Parser.Reading {
  /** Slot and secret that an input has for the region's. */
  private static final long KEY = 0x6b65_796b_6579_6b65L;
  private static final int MOST_MESSAGES = 12;
  private static final int LOOKED_AFTER = 50;
  private static final int REPLACED_AFTER = 200;
  /** More than a queue needs to look at its sockets. */
  private static final int POLLS = 200;
  /** Descriptors that a process may open once for itself. */
  private static final int OWN_DESCRIPTORS = 20;

  private Pair pair;
  private Endpoint honest;
  private ShmRegion region;
  private String listener;
  private int inputs;
  private int descriptors;

  @Override
  public void read(byte[] bytes) throws IOException {
    if (inputs++ % REPLACED_AFTER == 0) {
      replace();
    }
    DescriptorSocket stranger = new DescriptorSocket(Libc.socket());
    try {
      if (Libc.connect(stranger.fd(), listener) != 0) {
        throw new IOException("nobody listens any more");
      }
      say(stranger, ByteBuffer.wrap(bytes));
      poll();
    } finally {
      stranger.close();
    }
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

  private void replace() throws IOException {
    if (pair != null) {
      pair.close();
      List<String> left = descriptors();
      if (inputs > REPLACED_AFTER + 1 && left.size() > descriptors + OWN_DESCRIPTORS) {
        throw new AssertionError(left.size() + " descriptors are open, " + descriptors + " were before: " + left);
      }
      descriptors = Math.max(descriptors, left.size());
    }
    pair = Pair.connected(ShmDeviceTest.device(), new PairOptions().withSlots(8, 2000));
    honest = pair.right();
    region = (ShmRegion) pair.b.openRegion(4096);
    listener = ((ShmDomain) pair.b.domain()).folder().socket(pair.listener().localAddress());
  }

  private static List<String> descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.map(fd -> {
        try {
          return Files.readSymbolicLink(fd).toString();
        } catch (IOException e) {
          return "closed";
        }
      }).toList();
    }
  }

  private void say(DescriptorSocket stranger, ByteBuffer input) {
    if (input.hasRemaining() && (input.get() & 1) == 0) {
      stranger.send(Message.of(Message.CONNECT).put(Message.MAGIC).put((long) inputs).put((long) inputs).put(1).put(1));
    }
    for (int i = 0; i < MOST_MESSAGES && input.remaining() > 3; i++) {
      List<SharedFile> files = files(input.get());
      byte[] bytes = new byte[Math.min(Math.min(input.getShort() & 0xffff, input.remaining()), Message.MOST)];
      input.get(bytes);
      stranger.send(new Message(keyed(Message.buffer().put(bytes)), files));
      files.forEach(SharedFile::unmap);
      files.forEach(SharedFile::release);
    }
  }

  /** Files that may go with a message: so many of the lowest two bits, and their kinds. */
  private static List<SharedFile> files(int what) {
    List<SharedFile> files = new ArrayList<>();
    for (int i = 0; i < Math.min(what & 3, Message.MOST_FILES); i++) {
      int kind = what >> 2 + 2 * i & 3;
      files.add(AnonymousFile.create(kind == 0 ? SharedFile.PAGE : kind == 1 ? Ring.DATA + Ring.SMALLEST : kind == 2 ? 3 * SharedFile.PAGE
        : Ring.DATA + 2L * Ring.LARGEST, kind != 0));
    }
    return files;
  }

  private ByteBuffer keyed(ByteBuffer bytes) {
    for (int at = 4; at + 12 <= bytes.position(); at += 4) {
      if (bytes.getLong(at + 4) == KEY) {
        bytes.putInt(at, region.slot()).putLong(at + 4, region.secret());
      }
    }
    return bytes;
  }

  private void poll() {
    for (int i = 0; i < POLLS; i++) {
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
