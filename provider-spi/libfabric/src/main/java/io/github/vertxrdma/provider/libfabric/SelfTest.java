package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.function.Predicate;

/**
 * Tests capabilities that some providers claim wrongly: an fd that is readable only if there is something to read, atomics, writes with
 * immediate, and the size of private data.
 */
final class SelfTest {
  private final FabricDomain domain;
  private Capabilities capabilities;
  private Limits limits;

  SelfTest(FabricDomain domain) {
    this.domain = domain;
    FabricDevice device = domain.device();
    capabilities = device.rawCapabilities();
    limits = device.rawLimits();
    boolean fd;
    try (ProbeEndpoint trial = new ProbeEndpoint(domain)) {
      fd = trial.isQuiet() && (domain.connected() || withPeer(trial, trial::isQuietWith));
      if (!domain.connected() && capabilities.can(Operation.WRITE_IMMEDIATE) && !withPeer(trial, trial::writesImmediate)) {
        capabilities = capabilities.toBuilder().remove(Operation.WRITE_IMMEDIATE).build();
      }
      if (!atomics(trial.endpoint())) {
        capabilities = capabilities.toBuilder().remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP).build();
      }
      if (domain.connected()) {
        limits = withPrivateData(privateData(trial.endpoint()));
      }
    }
    capabilities = capabilities.toBuilder().waiting(fd ? Waiting.FD : Waiting.NONE).build();
  }

  Capabilities capabilities() {
    return capabilities;
  }

  Limits limits() {
    return limits;
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

  private int privateData(Fid endpoint) {
    long function = endpoint.function(Structs.EP_OPS, Structs.EP_GETOPT);
    long size = Memory.allocate(16);
    try {
      Memory.putLong(size + 8, 8);
      boolean told = function != 0
        && Calls.number(function, endpoint.address(), Fi.OPT_ENDPOINT, Fi.OPT_CM_DATA_SIZE, size, size + 8) == 0;
      return told ? Math.clamp(Memory.getLong(size), 0, 1 << 16) : limits.privateData();
    } finally {
      Memory.free(size);
    }
  }

  /** Runs a test with a second endpoint. The fd of some providers stays readable after an exchange of messages. */
  private boolean withPeer(ProbeEndpoint trial, Predicate<ProbeEndpoint> test) {
    try (ProbeEndpoint peer = new ProbeEndpoint(domain)) {
      return test.test(peer);
    }
  }

  private Limits withPrivateData(int bytes) {
    int free = Math.clamp(domain.tagsImmediates() ? bytes - PrivateData.TRAILER : bytes, 0, limits.privateData());
    return new Limits(limits.maxMessageSize(), limits.maxTransferSize(), limits.inlineSize(), limits.sendDepth(), limits.receiveDepth(),
      limits.scatterGather(), limits.readsInFlight(), free, limits.maxRegionSize(), limits.maxRegions(), limits.completionQueueDepth(),
      limits.keySize());
  }
}
