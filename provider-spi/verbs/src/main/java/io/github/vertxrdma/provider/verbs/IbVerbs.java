package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import java.lang.invoke.MethodHandle;

/** Addresses of libibverbs' functions. A context's table has the addresses of functions that are inline in the header. */
final class IbVerbs {
  /** int post_send(qp, wr, bad_wr), post_recv, post_srq_recv; ibv_post_send(3). */
  static final MethodHandle POST = Downcall.of(int.class, long.class, long.class, long.class);
  /** int poll_cq(cq, entries, wc); ibv_poll_cq(3). */
  static final MethodHandle POLL_CQ = Downcall.of(int.class, long.class, int.class, long.class);
  /** int req_notify_cq(cq, solicited_only); ibv_req_notify_cq(3). */
  static final MethodHandle REQ_NOTIFY_CQ = Downcall.of(int.class, long.class, int.class);

  final long getDeviceList;
  final long freeDeviceList;
  final long openDevice;
  final long closeDevice;
  final long queryDevice;
  final long queryPort;
  final long queryPkey;
  final long queryGidTable;
  final long allocPd;
  final long deallocPd;
  /** ibv_reg_mr_iova2, the only function that accepts optional access rights. */
  final long regMr;
  final long reregMr;
  final long deregMr;
  final long createCompChannel;
  final long destroyCompChannel;
  final long createCq;
  final long resizeCq;
  final long destroyCq;
  final long getCqEvent;
  final long ackCqEvents;
  final long createSrq;
  final long destroySrq;
  final long createQp;
  final long modifyQp;
  final long queryQp;
  final long destroyQp;
  final long queryEce;
  final long setEce;
  final long getAsyncEvent;
  final long ackAsyncEvent;
  private final NativeLibrary library;

  IbVerbs(NativeLibrary library) {
    this.library = library;
    queryGidTable = library.find("_ibv_query_gid_table");
    if (queryGidTable == 0) {
      throw new ProviderException(ProviderException.Reason.TOO_OLD,
        "cannot use " + library + ": it is older than rdma-core 32, so it cannot list the GIDs of a port. Install rdma-core 32 or later");
    }
    getDeviceList = library.require("ibv_get_device_list");
    freeDeviceList = library.require("ibv_free_device_list");
    openDevice = library.require("ibv_open_device");
    closeDevice = library.require("ibv_close_device");
    queryDevice = library.require("ibv_query_device");
    queryPort = library.require("ibv_query_port");
    queryPkey = library.require("ibv_query_pkey");
    allocPd = library.require("ibv_alloc_pd");
    deallocPd = library.require("ibv_dealloc_pd");
    regMr = library.require("ibv_reg_mr_iova2");
    reregMr = library.require("ibv_rereg_mr");
    deregMr = library.require("ibv_dereg_mr");
    createCompChannel = library.require("ibv_create_comp_channel");
    destroyCompChannel = library.require("ibv_destroy_comp_channel");
    createCq = library.require("ibv_create_cq");
    resizeCq = library.require("ibv_resize_cq");
    destroyCq = library.require("ibv_destroy_cq");
    getCqEvent = library.require("ibv_get_cq_event");
    ackCqEvents = library.require("ibv_ack_cq_events");
    createSrq = library.require("ibv_create_srq");
    destroySrq = library.require("ibv_destroy_srq");
    createQp = library.require("ibv_create_qp");
    modifyQp = library.require("ibv_modify_qp");
    queryQp = library.require("ibv_query_qp");
    destroyQp = library.require("ibv_destroy_qp");
    queryEce = library.require("ibv_query_ece");
    setEce = library.require("ibv_set_ece");
    getAsyncEvent = library.require("ibv_get_async_event");
    ackAsyncEvent = library.require("ibv_ack_async_event");
    // Must precede any registration. Protects registered pages from copy-on-write after a fork, as newer kernels do; ibv_fork_init(3).
    Calls.pointer(library.require("ibv_fork_init"));
  }

  @Override
  public String toString() {
    return library.file("ibv_get_device_list");
  }
}
