package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.NativeFunctions;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import java.lang.invoke.MethodHandle;

/** Addresses of libibverbs' functions. Functions that are inline in the header have their addresses in the context instead. */
final class IbVerbs extends NativeFunctions {
  /** Calls int post_send(qp, wr, bad_wr) or post_recv; ibv_post_send(3). */
  static final MethodHandle POST = Downcall.of(int.class, long.class, long.class, long.class);
  /** Calls int poll_cq(cq, entries, wc); ibv_poll_cq(3). */
  static final MethodHandle POLL_CQ = Downcall.of(int.class, long.class, int.class, long.class);
  /** Calls int req_notify_cq(cq, solicited_only); ibv_req_notify_cq(3). */
  static final MethodHandle REQ_NOTIFY_CQ = Downcall.of(int.class, long.class, int.class);

  final long queryGidTable = queryGidTable();
  final long getDeviceList = require("ibv_get_device_list");
  final long freeDeviceList = require("ibv_free_device_list");
  final long openDevice = require("ibv_open_device");
  final long closeDevice = require("ibv_close_device");
  final long queryDevice = require("ibv_query_device");
  final long queryPort = require("ibv_query_port");
  final long queryPkey = require("ibv_query_pkey");
  final long allocPd = require("ibv_alloc_pd");
  final long deallocPd = require("ibv_dealloc_pd");
  /** ibv_reg_mr_iova2, the only function that accepts optional access rights. */
  final long regMr = require("ibv_reg_mr_iova2");
  final long deregMr = require("ibv_dereg_mr");
  final long createCompChannel = require("ibv_create_comp_channel");
  final long destroyCompChannel = require("ibv_destroy_comp_channel");
  final long createCq = require("ibv_create_cq");
  final long resizeCq = require("ibv_resize_cq");
  final long destroyCq = require("ibv_destroy_cq");
  final long getCqEvent = require("ibv_get_cq_event");
  final long ackCqEvents = require("ibv_ack_cq_events");
  final long createQp = require("ibv_create_qp");
  final long modifyQp = require("ibv_modify_qp");
  final long queryQp = require("ibv_query_qp");
  final long destroyQp = require("ibv_destroy_qp");
  final long queryEce = require("ibv_query_ece");
  final long setEce = require("ibv_set_ece");
  final long getAsyncEvent = require("ibv_get_async_event");
  final long ackAsyncEvent = require("ibv_ack_async_event");

  IbVerbs(NativeLibrary library) {
    super(library);
    // Protects registered pages from copy-on-write after a fork, as newer kernels do; ibv_fork_init(3). Must precede any registration.
    Calls.pointer(require("ibv_fork_init"));
  }

  private long queryGidTable() {
    long function = library.find("_ibv_query_gid_table");
    if (function == 0) {
      throw new ProviderException(ProviderException.Reason.TOO_OLD,
        "cannot use " + library + ": it is older than rdma-core 32, so it cannot list the GIDs of a port. Install rdma-core 32 or later");
    }
    return function;
  }

  @Override
  public String toString() {
    return library.file("ibv_get_device_list");
  }
}
