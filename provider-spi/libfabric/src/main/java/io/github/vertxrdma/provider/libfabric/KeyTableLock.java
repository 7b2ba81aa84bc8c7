package io.github.vertxrdma.provider.libfabric;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps threads out of each other's way in a domain's table of remote keys where libfabric does not. Its connectionless tcp, which 1.16
 * and 1.17 call {@code net}, uses that table without a common lock until 1.18.2. So a thread that registers or closes a region spoils what
 * another does: a region is not found when it is closed (-FI_ENOKEY), so that the domain stays open too, with its sockets; and the good key
 * of a peer is not found, which ends the connection. Held by everything that gets to the table: registering and closing regions, reading
 * completions and posting receives. Elsewhere it does nothing.
 */
final class KeyTableLock {
  /** For what never gets to the table. */
  static final KeyTableLock NONE = new KeyTableLock(null);

  private final ReentrantLock lock;

  private KeyTableLock(ReentrantLock lock) {
    this.lock = lock;
  }

  /** For a domain; 1.18.0 and 1.18.2 give the same version. */
  static KeyTableLock of(FabricInfo info, int version) {
    return isNeeded(info.provider(), info.endpointType(), version) ? new KeyTableLock(new ReentrantLock()) : NONE;
  }

  static boolean isNeeded(String provider, int endpointType, int version) {
    return endpointType == Fi.EP_RDM && (provider.equals("net") || provider.equals("tcp") && version == Fi.version(1, 18));
  }

  void lock() {
    if (lock != null) {
      lock.lock();
    }
  }

  void unlock() {
    if (lock != null) {
      lock.unlock();
    }
  }
}
