package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.impl.link.RmaHandler;
import io.github.vertxrdma.impl.link.RmaQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;

/** View of the owner's memory. Reading a byte makes the fabric map it. */
record View(RegionLease lease, long offset, long length) implements LocalMemory<MemorySegment> {

  @Override
  public int chunkSize(RegionPeer peer) {
    return Integer.MAX_VALUE;
  }

  @Override
  public void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
    rma.read(remote, remoteOffset, null, 0, 1, chunk);
  }

  @Override
  public void transferred(RegionCall<MemorySegment> call) {
    if (!lease.mayTransfer(call)) {
      return;
    }
    if (lease.remote().mapped() == null) {
      call.fail(new RdmaException(Reason.UNSUPPORTED, "its owner does not let it be mapped, and answers reads"));
    } else {
      call.confirm();
    }
  }

  @Override
  public MemorySegment result(long replied) {
    MemorySegment view = lease.remote().mapped().asSlice(offset, length);
    return lease.description.access().contains(RegionAccess.WRITE) ? view : view.asReadOnly();
  }
}
