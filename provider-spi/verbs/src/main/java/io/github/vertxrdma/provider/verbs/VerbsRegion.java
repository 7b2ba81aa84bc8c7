package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.MemlockLimit;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory; ibv_reg_mr(3). */
final class VerbsRegion extends AbstractMemoryRegion {
  /** Number of bytes that are registered for an empty segment. */
  private static final long LEAST = 1;

  final VerbsDomain domain;
  final long address;
  final int localKey;
  final boolean localWrite;
  final boolean readSink;
  /** True if the memory is mapped from a file. Native code must not read it, because a truncated file would end the process. */
  final boolean fromFile;
  private final int remoteKey;
  private long region;
  /** Read by any thread without synchronization. A stale value is harmless, because the device refuses the key of a closed region. */
  private boolean open = true;

  VerbsRegion(VerbsDomain domain, MemorySegment memory, Set<Access> access) {
    super(memory, access);
    if (!memory.isNative()) {
      throw new ProviderException(ProviderException.Reason.INVALID,
        "heap memory cannot be registered on " + domain.device().name() + ", since the garbage collector moves it. Use an Arena or "
          + "a direct buffer");
    }
    if (!memory.scope().isAlive()) {
      throw new ProviderException(ProviderException.Reason.INVALID,
        "memory of a closed arena cannot be registered on " + domain.device().name());
    }
    this.domain = domain;
    address = memory.address();
    fromFile = memory.isMapped();
    if (memory.isReadOnly() && access.stream().anyMatch(a -> a != Access.REMOTE_READ)) {
      throw new ProviderException(ProviderException.Reason.INVALID,
        "read-only memory cannot be registered for writing on " + domain.device().name());
    }
    boolean iwarp = domain.device().attributes.iwarp();
    int rights = rights(access, iwarp);
    region = register(rights | (isRelaxed(access) ? ACCESS_RELAXED_ORDERING : 0));
    if (region == 0 && isRelaxed(access) && (Errno.last() == Errno.EINVAL || Errno.last() == Errno.EOPNOTSUPP)) {
      // The driver refuses the optional right, which it should ignore.
      region = register(rights);
    }
    if (region == 0) {
      throw failed(Errno.last());
    }
    NativeObjects.made(NativeObjects.Kind.REGION);
    localKey = Memory.getInt(region + MR_LKEY);
    remoteKey = Memory.getInt(region + MR_RKEY);
    localWrite = (rights & ACCESS_LOCAL_WRITE) != 0;
    // On iWARP a peer answers a read with a write to this region, which needs that right: RFC 5040.
    readSink = iwarp ? (rights & ACCESS_REMOTE_WRITE) != 0 : localWrite;
    domain.regions.add(this);
  }

  private long register(int rights) {
    return Calls.pointer(domain.verbs.regMr, domain.protectionDomain, address, Math.max(size(), LEAST), address, rights);
  }

  /**
   * Returns whether the device may reorder writes, which doubles some rates. For memory that peers write to, a setting must permit that.
   */
  private boolean isRelaxed(Set<Access> access) {
    return domain.device().ordering.isRelaxed(access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC));
  }

  private static int rights(Set<Access> access, boolean iwarp) {
    int rights = 0;
    for (Access right : access) {
      rights |= switch (right) {
        case LOCAL_WRITE -> ACCESS_LOCAL_WRITE;
        case REMOTE_READ -> ACCESS_REMOTE_READ;
        case REMOTE_WRITE -> ACCESS_REMOTE_WRITE | ACCESS_LOCAL_WRITE;
        case REMOTE_ATOMIC -> ACCESS_REMOTE_ATOMIC | ACCESS_LOCAL_WRITE;
        case READ_SINK -> iwarp ? ACCESS_REMOTE_WRITE | ACCESS_LOCAL_WRITE : ACCESS_LOCAL_WRITE;
      };
    }
    return rights;
  }

  private ProviderException failed(int errno) {
    String what = "memory of " + size(size()) + " could not be registered on " + domain.device().name() + ": " + Errno.describe(errno);
    return switch (errno) {
      case Errno.ENOMEM, Errno.EAGAIN -> new ProviderException(ProviderException.Reason.LIMIT, errno, what + "; "
        + (domain.regions.size() >= domain.limits().maxRegions() ? "the device allows " + domain.limits().maxRegions() + " regions, "
          + "and this process has as many. Close some, or register fewer and larger ones" : MemlockLimit.describe()));
      case Errno.EACCES, Errno.EPERM -> new ProviderException(ProviderException.Reason.PERMISSION, errno,
        what + "; " + MemlockLimit.describe() + "; or the memory is read-only");
      case Errno.EFAULT -> new ProviderException(ProviderException.Reason.INVALID, errno,
        what + ". The memory is not mapped, or cannot be pinned, as with a file mapping. Copy it to anonymous memory");
      case Errno.EOPNOTSUPP -> new ProviderException(ProviderException.Reason.UNSUPPORTED, errno,
        what + ". The kernel does not pin writable file mappings. Copy the memory to anonymous memory");
      default -> new ProviderException(ProviderException.Reason.OTHER, errno, what + "; " + MemlockLimit.describe());
    };
  }

  private static String size(long bytes) {
    return bytes >= 1L << 30 && bytes % (1L << 30) == 0 ? (bytes >> 30) + " GiB" : bytes >= 1L << 20 && bytes % (1L << 20) == 0
      ? (bytes >> 20) + " MiB" : bytes + " bytes";
  }

  @Override
  protected boolean isOpen() {
    return open;
  }

  @Override
  public long remoteAddress() {
    return address;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(remoteKey).array();
  }

  /** Deregisters the memory. If another thread is doing so, waits for it. */
  @Override
  public synchronized void close() {
    open = false;
    if (region != 0) {
      int errno = Calls.number(domain.verbs.deregMr, region);
      region = 0;
      domain.regions.remove(this);
      if (errno == 0) {
        NativeObjects.destroyed(NativeObjects.Kind.REGION);
      } else {
        throw new ProviderException(ProviderException.Reason.OTHER, Math.abs(errno),
          "memory of " + size(size()) + " could not be deregistered on " + domain.device().name() + ": "
            + Errno.describe(Math.abs(errno)));
      }
    }
  }
}
