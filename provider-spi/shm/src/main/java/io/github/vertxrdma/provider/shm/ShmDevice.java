package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.SoftwareDevice;

/** Shared memory between processes of this host that use the same {@link MeetingFolder}. */
final class ShmDevice extends SoftwareDevice {
  static final String NAME = "shm";

  final MeetingFolder folder;
  final long idleMillis;
  ShmDevice(MeetingFolder folder, long idleMillis) {
    super(NAME, Reach.HOST, Preference.SHARED_MEMORY, common().waiting(Waiting.FD).maps(true).receivesInPlace(true)
      .sendCompletion(Capabilities.SendCompletion.SHARED_MEMORY), ShmRemoteMemory.KEY_SIZE);
    this.folder = folder;
    this.idleMillis = idleMillis;
  }

  @Override
  public String subnet() {
    return folder.identity();
  }

  @Override
  public Domain open() {
    return new ShmDomain(this);
  }
}
