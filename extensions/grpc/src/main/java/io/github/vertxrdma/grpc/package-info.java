/** gRPC services over RDMA connections. */
@ModuleGen(name = "vertx-rdma-grpc", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.grpc;

import io.vertx.codegen.annotations.ModuleGen;
