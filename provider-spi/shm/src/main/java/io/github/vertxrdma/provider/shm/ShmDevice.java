package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.util.EnumSet;

/** The memory of this host, for processes that share a folder: of one user, or of a group. */
final class ShmDevice implements Device {
  static final String NAME = "shm";
  static final int PRIVATE_DATA = 256;
  static final int SCATTER_GATHER = 16;
  static final int READS_IN_FLIGHT = 16;
  static final int MAX_INLINE = 1024;
  static final int MAX_SENDS = 16 * 1024;
  static final long MAX_MESSAGE = 1L << 30;
  static final long MAX_TRANSFER = 1L << 40;

  private static final long IDENTITY_NANOS = 1_000_000_000;

  private static final Limits LIMITS = new Limits(MAX_MESSAGE, MAX_TRANSFER, MAX_INLINE, MAX_SENDS, 64 * 1024, SCATTER_GATHER,
    READS_IN_FLIGHT, PRIVATE_DATA, Long.MAX_VALUE, 1 << 20, 1 << 20, ShmRemoteMemory.KEY_SIZE);

  private final MeetingFolder folder;
  private final Sharing sharing;
  private final long idleMillis;
  private final Capabilities capabilities;
  private volatile Identity identity;

  /** The folder's identity, which the file system told at a time of System.nanoTime(). */
  private record Identity(String name, long nanos) {
  }

  ShmDevice(MeetingFolder folder, Sharing sharing, long idleMillis) {
    this.folder = folder;
    this.sharing = sharing;
    this.idleMillis = idleMillis;
    capabilities = capabilities(sharing);
  }

  /** Progress is said to be manual, since operations on memory that this domain did not allocate are its owner's to carry out. */
  private static Capabilities capabilities(Sharing sharing) {
    return Capabilities.builder()
      .add(Operation.SEND_IMMEDIATE, Operation.WRITE_IMMEDIATE, Operation.FETCH_ADD, Operation.COMPARE_SWAP)
      .orders(EnumSet.allOf(Capabilities.Order.class))
      .immediateBits(32)
      .deliveryComplete(true)
      .noReceive(Capabilities.NoReceive.BUFFERS)
      .keyMode(Capabilities.KeyMode.PROVIDER)
      .addressBase(Capabilities.AddressBase.OFFSET)
      .progress(Capabilities.Progress.MANUAL)
      .peerFailureEvents(true)
      .waiting(sharing.hasDescriptors() ? Waiting.FD : Waiting.WAKEUP)
      .sharedReceive(true)
      .processorAtomics(true)
      .maps(sharing.mapsRegions())
      .build();
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
  public String provider() {
    return NAME;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String fabric() {
    return NAME;
  }

  @Override
  public EndpointType endpointType() {
    return EndpointType.MSG;
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
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public Limits limits() {
    return LIMITS;
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
