package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.NativeLibrary;

final class RdmaCm {
  final long createEventChannel;
  final long destroyEventChannel;
  final long createId;
  final long destroyId;
  final long bindAddr;
  final long listen;
  final long resolveAddr;
  final long resolveRoute;
  final long connect;
  final long accept;
  final long reject;
  final long disconnect;
  final long establish;
  final long getCmEvent;
  final long ackCmEvent;
  final long migrateId;
  final long setOption;
  final long initQpAttr;
  final long notifyEvent;
  final long setLocalEce;
  final long getRemoteEce;
  private final long eventText;

  RdmaCm(NativeLibrary library) {
    createEventChannel = library.require("rdma_create_event_channel");
    destroyEventChannel = library.require("rdma_destroy_event_channel");
    createId = library.require("rdma_create_id");
    destroyId = library.require("rdma_destroy_id");
    bindAddr = library.require("rdma_bind_addr");
    listen = library.require("rdma_listen");
    resolveAddr = library.require("rdma_resolve_addr");
    resolveRoute = library.require("rdma_resolve_route");
    connect = library.require("rdma_connect");
    accept = library.require("rdma_accept");
    reject = library.require("rdma_reject");
    disconnect = library.require("rdma_disconnect");
    establish = library.require("rdma_establish");
    getCmEvent = library.require("rdma_get_cm_event");
    ackCmEvent = library.require("rdma_ack_cm_event");
    migrateId = library.require("rdma_migrate_id");
    setOption = library.require("rdma_set_option");
    initQpAttr = library.require("rdma_init_qp_attr");
    notifyEvent = library.require("rdma_notify");
    setLocalEce = library.require("rdma_set_local_ece");
    getRemoteEce = library.require("rdma_get_remote_ece");
    eventText = library.require("rdma_event_str");
  }

  String event(int type) {
    return Memory.getString(Calls.pointer(eventText, type));
  }
}
