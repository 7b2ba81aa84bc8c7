package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Connection without the connection manager. The callers exchange the {@link QueuePairAddress}es of both queue pairs.
 *
 * <p>When this queue pair can send, the peer's may not be able to receive yet. So each side first writes zero bytes, which need no key. The
 * peer's device acknowledges them when its queue pair is ready. A device repeats a lost write only after seconds, so further empty writes
 * follow. They make the peer's device request the first one.
 */
final class ExchangedConnection extends Connection {
  /** Slot number in the wr_id of empty writes. It is larger than the slots of any send queue. */
  static final int EMPTY_WRITE = Owners.SLOT;
  /** Maximum number of empty writes. The queue pair has as many additional send slots. */
  static final int OWN_REQUESTS = 9;
  /** Pause before the second empty write. Each pause is twice as long, so the last write comes after 2.55 s. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** Bytes of the subnet prefix of a GID. */
  private static final int PREFIX = 8;
  private static final byte[] NO_GID = new byte[16];
  private static final SecureRandom RANDOM = new SecureRandom();

  private final LocalPort port;
  private final QueuePairAddress own;
  private QueuePairAddress peer;
  private int emptyWrites;

  ExchangedConnection(VerbsEndpoint endpoint) {
    super(endpoint);
    port = endpoint.port;
    Gid gid = port.gid();
    own = new QueuePairAddress(port.port().link(), port.port().grhRequired(), gid == null ? 0 : gid.type(),
      gid == null ? NO_GID : gid.bytes(), port.port().lid(), endpoint.pair.number, RANDOM.nextInt(1 << 24),
      endpoint.partition.value(), endpoint.settings.mtuCode(port.port().mtu()), domain.device().attributes.readsAsTarget());
    local = EndpointAddress.of(QueuePairAddress.FORMAT, own.encode());
  }

  @Override
  void connect(EndpointAddress to, byte[] privateData) {
    if (!to.format().equals(QueuePairAddress.FORMAT)) {
      throw new ProviderException(ProviderException.Reason.INVALID, to + " is not the address of a queue pair. Use the "
        + "localAddress() of the peer's endpoint");
    }
    if (privateData.length > 0) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED,
        "queue pairs that are connected by exchange have no private data. Send the data together with their addresses");
    }
    remote = to;
    peer = QueuePairAddress.decode(to.bytes());
    check();
    endpoint.move(this::moveQueuePair, this::start);
  }

  private void check() {
    String mismatch = null;
    if (peer.link() != own.link()) {
      mismatch = "one side is InfiniBand, and the other is Ethernet";
    } else if (own.link() == LINK_ETHERNET && peer.gidType() != own.gidType()) {
      mismatch = "the GID of one side is RoCE v1, and that of the other is RoCE v2. Choose with verbs.gid-index";
    } else if ((peer.partition() & 0x7fff) != (own.partition() & 0x7fff) || (peer.partition() | own.partition()) < 0x8000) {
      mismatch = "partition keys 0x" + Integer.toHexString(own.partition()) + " and 0x" + Integer.toHexString(peer.partition())
        + " do not permit communication with each other. Choose with verbs.pkey";
    } else if (isGlobal() && !bothHaveGids()) {
      mismatch = "packets need a global route header, and one side has no GID for it. Check that the subnet manager is running";
    }
    if (mismatch != null) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, endpoint.named() + ": " + mismatch);
    }
  }

  /** Returns whether packets need a global route header. */
  private boolean isGlobal() {
    return own.link() == LINK_ETHERNET || own.grhRequired() || peer.grhRequired()
      || bothHaveGids() && !Arrays.equals(own.gid(), 0, PREFIX, peer.gid(), 0, PREFIX);
  }

  private boolean bothHaveGids() {
    return !Arrays.equals(own.gid(), NO_GID) && !Arrays.equals(peer.gid(), NO_GID);
  }

  private void moveQueuePair() {
    EndpointSettings settings = endpoint.settings;
    QueuePair pair = endpoint.pair;
    pair.modify("RTR", attributes -> {
      Memory.putInt(attributes + QP_ATTR_STATE, QPS_RTR);
      Memory.putInt(attributes + QP_ATTR_MTU, Math.min(own.mtu(), peer.mtu()));
      Memory.putInt(attributes + QP_ATTR_DEST, peer.queuePair());
      Memory.putInt(attributes + QP_ATTR_RQ_PSN, peer.packetSequence());
      Memory.putByte(attributes + QP_ATTR_DEST_READS, (byte) own.reads());
      Memory.putByte(attributes + QP_ATTR_RNR_TIMER, (byte) settings.rnrTimer());
      Memory.putShort(attributes + QP_ATTR_DLID, (short) peer.lid());
      Memory.putByte(attributes + QP_ATTR_SERVICE_LEVEL, (byte) settings.serviceLevel());
      Memory.putByte(attributes + QP_ATTR_AH_PORT, (byte) port.port().number());
      if (isGlobal()) {
        Memory.putByte(attributes + QP_ATTR_GLOBAL, (byte) 1);
        Memory.putBytes(attributes + QP_ATTR_DGID, peer.gid());
        Memory.putByte(attributes + QP_ATTR_SGID_INDEX, (byte) port.gid().index());
        Memory.putByte(attributes + QP_ATTR_HOP_LIMIT, (byte) 64);
        Memory.putByte(attributes + QP_ATTR_TRAFFIC_CLASS, (byte) settings.trafficClass());
      }
    }, MASK_STATE | MASK_AV | MASK_MTU | MASK_DEST | MASK_RQ_PSN | MASK_DEST_READS | MASK_RNR_TIMER);
    pair.modify("RTS", attributes -> {
      Memory.putInt(attributes + QP_ATTR_STATE, QPS_RTS);
      Memory.putInt(attributes + QP_ATTR_SQ_PSN, own.packetSequence());
      Memory.putByte(attributes + QP_ATTR_READS, (byte) reads());
      Memory.putByte(attributes + QP_ATTR_TIMEOUT, (byte) settings.timeout(endpoint.options.connectTimeoutMillis()));
      Memory.putByte(attributes + QP_ATTR_RETRY, (byte) settings.retries());
      Memory.putByte(attributes + QP_ATTR_RNR_RETRY, (byte) settings.rnrRetries());
    }, MASK_STATE | MASK_SQ_PSN | MASK_READS | MASK_TIMEOUT | MASK_RETRY | MASK_RNR_RETRY);
  }

  private void start() {
    int errno = postEmptyWrite();
    if (errno != 0) {
      endpoint.broke(new ProviderException(ProviderException.Reason.OTHER, errno,
        endpoint.named() + ": the device refused a write of 0 bytes, which tests the connection: " + Errno.describe(errno)));
    }
  }

  private int reads() {
    return Math.min(peer.reads(), domain.device().attributes.readsAsInitiator());
  }

  /** Posts an empty write and schedules the next one. Returns 0, or the errno if the device refused the write. */
  private int postEmptyWrite() {
    if (++emptyWrites < OWN_REQUESTS) {
      endpoint.queue.events.start(endpoint.deadline(EndpointDeadline.Kind.RETRY), FIRST_PAUSE_NANOS << emptyWrites - 1);
    }
    try (Scratch scratch = Scratch.of(SEND_WR_SIZE + SGE_SIZE + Long.BYTES)) {
      long request = scratch.address();
      // Some drivers use the first element although there are none: Quirk.
      long element = request + SEND_WR_SIZE + Long.BYTES;
      Memory.putLong(request + SEND_WR_SGES, element);
      domain.regions.stream().findFirst().ifPresent(region -> {
        Memory.putLong(element + SGE_ADDR, region.address);
        Memory.putInt(element + SGE_LKEY, region.localKey);
      });
      Memory.putLong(request + SEND_WR_ID, (long) endpoint.tag() << 32 | EMPTY_WRITE);
      Memory.putInt(request + SEND_WR_OPCODE, WR_WRITE);
      Memory.putInt(request + SEND_WR_FLAGS, SEND_SIGNALED);
      return Math.abs((int) IbVerbs.POST.invokeExact(domain.postSend, endpoint.queuePair(), request, request + SEND_WR_SIZE));
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  @Override
  void retry() {
    if (endpoint.state() == EndpointState.CONNECTING) {
      // A refused write is harmless, because the first one is still posted.
      postEmptyWrite();
    }
  }

  @Override
  void emptyWriteCompleted(int status, int vendorError) {
    if (endpoint.state() != EndpointState.CONNECTING) {
      return;
    }
    if (status == 0) {
      endpoint.connected(CmPrivateData.NONE, reads());
      return;
    }
    WorkStatus why = WorkStatus.of(status);
    boolean silent = why == WorkStatus.RETRY_EXC_ERR || why == WorkStatus.RESP_TIMEOUT_ERR;
    endpoint.broke(new ProviderException(silent ? ProviderException.Reason.TIMEOUT : why.reason, endpoint.named()
      + ": a write of 0 bytes, which tests the connection, failed with " + why.describe(status, vendorError)));
  }

  @Override
  void established() {
    // The peer has sent a message, so its queue pair is ready.
    endpoint.connected(CmPrivateData.NONE, reads());
  }

  @Override
  String step() {
    return "waiting for the peer's device to acknowledge (the peer must connect to this side's address)";
  }
}
