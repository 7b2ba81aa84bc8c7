package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.util.function.LongConsumer;

/**
 * Reliable connected queue pair and its states; ibv_create_qp(3), ibv_modify_qp(3). Created without librdmacm, so that receives can be
 * posted before the peer's address is resolved.
 */
final class QueuePair {
  private final VerbsDomain domain;
  final int inlineSize;
  /** Address of the struct ibv_qp; 0 after it was destroyed. */
  long pointer;
  final int number;
  private boolean failed;

  record Shape(long protectionDomain, long completionQueue, int sends, int receives, int elements, int inlineSize) {
  }

  QueuePair(VerbsDomain domain, Shape shape) {
    this.domain = domain;
    try (Scratch scratch = Scratch.of(QP_INIT_ROOM)) {
      long init = scratch.address();
      Memory.putLong(init + QP_INIT_SEND_CQ, shape.completionQueue());
      Memory.putLong(init + QP_INIT_RECV_CQ, shape.completionQueue());
      Memory.putInt(init + QP_INIT_SEND_WRS, shape.sends());
      Memory.putInt(init + QP_INIT_RECV_WRS, shape.receives());
      Memory.putInt(init + QP_INIT_SEND_SGES, shape.elements());
      Memory.putInt(init + QP_INIT_RECV_SGES, 1);
      Memory.putInt(init + QP_INIT_INLINE, shape.inlineSize());
      Memory.putInt(init + QP_INIT_TYPE, QPT_RC);
      pointer = Calls.pointer(domain.verbs.createQp, shape.protectionDomain(), init);
      if (pointer == 0) {
        throw failed(shape, Errno.last());
      }
      NativeObjects.made(NativeObjects.Kind.QUEUE_PAIR);
      inlineSize = Memory.getInt(init + QP_INIT_INLINE);
      number = Memory.getInt(pointer + QP_NUM);
    }
  }

  private ProviderException failed(Shape shape, int errno) {
    return new ProviderException(ProviderException.Reason.LIMIT, errno, "cannot create a queue pair with "
      + shape.sends() + " sends, " + shape.receives()
      + " receives, " + shape.elements() + " elements and " + shape.inlineSize() + " bytes inline on "
      + domain.device().name() + ", where this process has " + domain.async.endpoints.size() + ": " + Errno.describe(errno)
      + "; the device allows "
      + domain.device().attributes.maxQueuePairs() + " queue pairs of " + domain.device().attributes.maxWorkRequests()
      + " work requests. Close unused connections, or use smaller queues");
  }

  void initialize(int port, int pkeyIndex) {
    modify("INIT", attributes -> {
      Memory.putInt(attributes + QP_ATTR_STATE, QPS_INIT);
      Memory.putInt(attributes + QP_ATTR_ACCESS, access());
      Memory.putByte(attributes + QP_ATTR_PORT, (byte) port);
      Memory.putShort(attributes + QP_ATTR_PKEY_INDEX, (short) pkeyIndex);
    }, domain.device().attributes.iwarp() ? MASK_STATE | MASK_ACCESS : MASK_STATE | MASK_ACCESS | MASK_PORT | MASK_PKEY_INDEX);
  }

  private int access() {
    return ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ | (domain.device().attributes.atomics() ? ACCESS_REMOTE_ATOMIC : 0);
  }

  /** Changes the state with attributes of the connection manager, after {@code adjust} has changed them; rdma_init_qp_attr(3). */
  void modifyForConnection(RdmaCm cm, long id, int state, LongConsumer adjust, int more) {
    try (Scratch scratch = Scratch.of(QP_ATTR_ROOM + Integer.BYTES)) {
      long attributes = scratch.address();
      long mask = attributes + QP_ATTR_ROOM;
      Memory.putInt(attributes + QP_ATTR_STATE, state);
      if (Calls.number(cm.initQpAttr, id, attributes, mask) != 0) {
        throw failed("attributes of state " + state, Errno.last());
      }
      adjust.accept(attributes);
      if (state == QPS_INIT) {
        Memory.putInt(attributes + QP_ATTR_ACCESS, access());
      }
      modify("state " + state, attributes, Memory.getInt(mask) | more);
    }
  }

  /** Offers the vendor's connection options (ECE) to the peer, if the driver has any; rdma_set_local_ece(3). */
  void offerEnhancements(RdmaCm cm, long id) {
    try (Scratch ece = Scratch.of(ECE_SIZE)) {
      if (Calls.number(domain.verbs.queryEce, pointer, ece.address()) == 0 && Memory.getInt(ece.address() + ECE_VENDOR) != 0) {
        Calls.number(cm.setLocalEce, id, ece.address());
      }
    }
  }

  /** Sets the peer's connection options (ECE), of which the device uses those that it supports. Called before RTR. */
  void takeEnhancements(RdmaCm cm, long id) {
    try (Scratch ece = Scratch.of(ECE_SIZE)) {
      if (Calls.number(cm.getRemoteEce, id, ece.address()) == 0 && Memory.getInt(ece.address() + ECE_VENDOR) != 0) {
        // Ignores errors, because a device of another vendor refuses the options.
        Calls.number(domain.verbs.setEce, pointer, ece.address());
      }
    }
  }

  /** Sets the attributes of {@code mask}, which {@code fill} writes to a zeroed struct ibv_qp_attr. */
  void modify(String what, LongConsumer fill, int mask) {
    try (Scratch attributes = Scratch.of(QP_ATTR_ROOM)) {
      fill.accept(attributes.address());
      modify(what, attributes.address(), mask);
    }
  }

  private void modify(String what, long attributes, int mask) {
    int errno = Math.abs(Calls.number(domain.verbs.modifyQp, pointer, attributes, mask));
    if (errno != 0) {
      throw failed(what, errno);
    }
  }

  private ProviderException failed(String what, int errno) {
    return new ProviderException(ProviderException.Reason.OTHER, errno, "queue pair " + number + " of " + domain.device().name()
      + " could not be changed to " + what + ": " + Errno.describe(errno));
  }

  /** Moves the queue pair to the error state, which flushes posted work requests. */
  void fail() {
    if (pointer != 0 && !failed) {
      failed = true;
      try (Scratch attributes = Scratch.of(QP_ATTR_ROOM)) {
        Memory.putInt(attributes.address() + QP_ATTR_STATE, QPS_ERR);
        Calls.number(domain.verbs.modifyQp, pointer, attributes.address(), MASK_STATE);
      }
    }
  }

  /** Returns the state (QPS_…) that the device reports; -1 if unknown. */
  int state() {
    if (pointer == 0) {
      return QPS_ERR;
    }
    try (Scratch attributes = Scratch.of(QP_ATTR_ROOM + QP_INIT_ROOM)) {
      int failed = Calls.number(domain.verbs.queryQp, pointer, attributes.address(), MASK_STATE, attributes.address() + QP_ATTR_ROOM);
      return failed != 0 ? -1 : Memory.getInt(attributes.address() + QP_ATTR_STATE);
    }
  }

  void close() {
    if (pointer != 0) {
      Calls.number(domain.verbs.destroyQp, pointer);
      NativeObjects.destroyed(NativeObjects.Kind.QUEUE_PAIR);
      pointer = 0;
    }
  }
}
