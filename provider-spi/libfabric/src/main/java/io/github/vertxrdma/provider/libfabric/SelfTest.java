package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Tests capabilities that some providers claim wrongly: an fd that is readable only if there is something to read, and atomics.
 */
final class SelfTest {
  private final FabricDomain domain;
  private Capabilities capabilities;

  SelfTest(FabricDomain domain) {
    this.domain = domain;
    FabricDevice device = domain.device();
    capabilities = device.rawCapabilities();
    boolean fd;
    try (ProbeEndpoint trial = new ProbeEndpoint(domain)) {
      fd = trial.isQuiet() && (domain.connected() || isQuietWithPeer(trial));
      if (!atomics(trial.endpoint())) {
        capabilities = capabilities.toBuilder().remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP).build();
      }
    }
    capabilities = capabilities.toBuilder().waiting(fd ? Waiting.FD : Waiting.NONE).build();
  }

  Capabilities capabilities() {
    return capabilities;
  }

  private boolean atomics(Fid endpoint) {
    return capabilities.atomics()
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_READWRITEMSG) != 0
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_COMPWRITEMSG) != 0
      && valid(endpoint, Structs.ATOMIC_READWRITEVALID, Fi.SUM)
      && valid(endpoint, Structs.ATOMIC_COMPWRITEVALID, Fi.CSWAP);
  }

  private boolean valid(Fid endpoint, int offset, int operation) {
    long function = endpoint.function(Structs.EP_ATOMIC, offset);
    long count = Memory.allocate(8);
    try {
      return function != 0 && Calls.number(function, endpoint.address(), Fi.UINT64, operation, count) == 0
        && Memory.getLong(count) >= 1;
    } finally {
      Memory.free(count);
    }
  }

  /** Exchanges messages, after which the fd of some providers stays readable. */
  private boolean isQuietWithPeer(ProbeEndpoint trial) {
    try (ProbeEndpoint peer = new ProbeEndpoint(domain)) {
      return trial.isQuietWith(peer);
    }
  }
}
