package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.NativeFunctions;
import io.github.vertxrdma.provider.ffi.NativeLibrary;

final class RdmaCm extends NativeFunctions {
  final long createEventChannel = require("rdma_create_event_channel");
  final long destroyEventChannel = require("rdma_destroy_event_channel");
  final long createId = require("rdma_create_id");
  final long destroyId = require("rdma_destroy_id");
  final long bindAddr = require("rdma_bind_addr");
  final long listen = require("rdma_listen");
  final long resolveAddr = require("rdma_resolve_addr");
  final long resolveRoute = require("rdma_resolve_route");
  final long connect = require("rdma_connect");
  final long accept = require("rdma_accept");
  final long reject = require("rdma_reject");
  final long disconnect = require("rdma_disconnect");
  final long establish = require("rdma_establish");
  final long getCmEvent = require("rdma_get_cm_event");
  final long ackCmEvent = require("rdma_ack_cm_event");
  final long migrateId = require("rdma_migrate_id");
  final long setOption = require("rdma_set_option");
  final long initQpAttr = require("rdma_init_qp_attr");
  final long notifyEvent = require("rdma_notify");
  final long setLocalEce = require("rdma_set_local_ece");
  final long getRemoteEce = require("rdma_get_remote_ece");

  RdmaCm(NativeLibrary library) {
    super(library);
  }
}
