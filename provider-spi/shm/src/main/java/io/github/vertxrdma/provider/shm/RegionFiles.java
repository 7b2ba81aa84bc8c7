package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.software.RegionTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Sends files of this side's memory regions to the peer, and requests the peer's. */
final class RegionFiles {
  private static final int MOST_WANTED = 1 << 14;

  private final RegionTable<ShmRegion> regions;
  private final QueueLink link;
  private final ArrayDeque<Key> wanted = new ArrayDeque<>();
  private final List<ShmRemoteMemory> asked = new ArrayList<>();

  private record Key(int slot, long secret) {
  }

  RegionFiles(RegionTable<ShmRegion> regions, QueueLink link) {
    this.regions = regions;
    this.link = link;
  }

  /** Called when the peer requests a region's file. Sends the file after earlier messages, or a refusal if the secret is wrong. */
  void wanted(int slot, long secret) {
    if (wanted.size() == MOST_WANTED) {
      throw new ProviderException(Reason.OTHER,
        "shm: the peer requests memory regions but does not read the replies; " + MOST_WANTED + " replies wait for it. All "
          + "connections with its process are closed");
    }
    wanted.add(new Key(slot, secret));
    handOut();
  }

  /** Answers one request at a time, because a file that waits in the socket's queue occupies a file descriptor. */
  void handOut() {
    while (!wanted.isEmpty() && link.hasSentAll()) {
      Key key = wanted.poll();
      handOut(key.slot, key.secret);
    }
  }

  private void handOut(int slot, long secret) {
    ShmRegion region = regions.find(slot, secret);
    if (region != null && region.acquire()) {
      try {
        AllocatedFile.MapPermit permit = region.permit;
        if (permit != null) {
          AnonymousFile file = permit.handOut();
          link.say(SocketMessage.of(SocketMessage.OPENED, out -> out.i32(slot).i64(secret).i64(0).i64(region.size())
            .i32(region.rights()).i64(permit.markOffset()).i64(permit.mark).i64(AllocatedFile.length(region.size())), file));
          file.release();
          return;
        }
      } finally {
        region.release();
      }
    }
    link.say(SocketMessage.of(SocketMessage.NOT_OPENED, out -> out.i32(slot).i64(secret)));
  }

  /**
   * Requests the file of a region.
   *
   * @return false if the answer is already known
   */
  boolean awaits(ShmRemoteMemory memory) {
    if (asked.contains(memory)) {
      return true;
    }
    if (!memory.ask(link)) {
      return false;
    }
    asked.add(memory);
    link.say(SocketMessage.of(SocketMessage.OPEN, out -> out.i32(memory.slot()).i64(memory.secret())));
    return true;
  }

  void opened(SocketMessage.Received message) {
    Cursor in = message.fields();
    ShmRemoteMemory memory = answered(in);
    if (memory == null) {
      return;
    }
    long offset = in.i64();
    long size = in.i64();
    int rights = in.i32();
    boolean written = (rights & (ShmRegion.WRITE | ShmRegion.ATOMIC)) != 0;
    long markOffset = in.i64();
    long mark = in.i64();
    long bytes = in.i64();
    try {
      if (offset != 0 || bytes != AllocatedFile.length(size)) {
        throw new ProviderException(Reason.LIMIT, "shm: cannot map a region of " + size + " bytes: the peer sent a file of " + bytes
          + " bytes, in place of " + AllocatedFile.length(size) + ". Update the peer.");
      }
      memory.opened(message.files().getFirst().map(bytes, written), size, rights, markOffset, mark);
    } catch (ProviderException e) {
      memory.refused(e);
    }
  }

  void notOpened(SocketMessage.Received message) {
    ShmRemoteMemory memory = answered(message.fields());
    if (memory != null) {
      memory.refused(null);
    }
  }

  private ShmRemoteMemory answered(Cursor in) {
    int slot = in.i32();
    long secret = in.i64();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).slot() == slot && asked.get(i).secret() == secret) {
        return asked.remove(i);
      }
    }
    return null;
  }

  /** Called when the peer has ended. Another {@link QueueLink} may then request the files. */
  void lost() {
    asked.forEach(memory -> memory.lost(link));
    asked.clear();
  }
}
