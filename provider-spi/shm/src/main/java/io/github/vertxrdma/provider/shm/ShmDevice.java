package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.SoftwareDevice;

/** Shared memory between processes of this host that use the same {@link MeetingFolder}. */
final class ShmDevice extends SoftwareDevice {
  static final String NAME = "shm";
  private static final long IDENTITY_NANOS = 1_000_000_000;

  final MeetingFolder folder;
  final long idleMillis;
  private volatile Identity identity;

  private record Identity(String name, long nanos) {
  }

  ShmDevice(MeetingFolder folder, long idleMillis) {
    super(NAME, Reach.HOST, Preference.SHARED_MEMORY, common().waiting(Waiting.FD).maps(true).receivesInPlace(true)
      .sendCompletion(Capabilities.SendCompletion.SHARED_MEMORY), ShmRemoteMemory.KEY_SIZE);
    this.folder = folder;
    this.idleMillis = idleMillis;
  }

  /** Returns the folder's id. Reads it at most once a second, because a new folder may replace a removed one. */
  @Override
  public String subnet() {
    Identity known = identity;
    long now = System.nanoTime();
    if (known == null || now - known.nanos > IDENTITY_NANOS) {
      known = new Identity(folder.identity(), now);
      identity = known;
    }
    return known.name;
  }

  @Override
  public Domain open() {
    return new ShmDomain(this);
  }
}
