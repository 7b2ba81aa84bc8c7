package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.SoftwareDevice;

/** The memory of this host, for processes that share a folder: of one user, or of a group. */
final class ShmDevice extends SoftwareDevice {
  static final String NAME = "shm";
  private static final long IDENTITY_NANOS = 1_000_000_000;

  private final MeetingFolder folder;
  private final Sharing sharing;
  private final long idleMillis;
  private volatile Identity identity;

  /** The folder's identity, which the file system told at a time of System.nanoTime(). */
  private record Identity(String name, long nanos) {
  }

  ShmDevice(MeetingFolder folder, Sharing sharing, long idleMillis) {
    super(NAME, common().waiting(sharing.hasDescriptors() ? Waiting.FD : Waiting.WAKEUP).maps(sharing.mapsRegions()), ShmRemoteMemory.KEY_SIZE);
    this.folder = folder;
    this.sharing = sharing;
    this.idleMillis = idleMillis;
  }

  Sharing sharing() {
    return sharing;
  }

  long idleMillis() {
    return idleMillis;
  }

  MeetingFolder folder() {
    return folder;
  }

  @Override
  public Reach reach() {
    return Reach.HOST;
  }

  /** Asks the file system once a second at most: another folder takes the place of one that was cleaned up. */
  @Override
  public String subnet() {
    Identity known = identity;
    long now = System.nanoTime();
    if (known == null || now - known.nanos > IDENTITY_NANOS) {
      known = new Identity(folder.identity() + sharing.dialect(), now);
      identity = known;
    }
    return known.name;
  }

  @Override
  public Preference preference() {
    return Preference.SHARED_MEMORY;
  }

  @Override
  public Domain open() {
    return new ShmDomain(this);
  }

  @Override
  public String toString() {
    return NAME + sharing.dialect();
  }
}
