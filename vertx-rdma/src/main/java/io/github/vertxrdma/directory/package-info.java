/** Entries of nodes, services and regions, and the directories that distribute them. */
@ModuleGen(name = "vertx-rdma-directory", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.directory;

import io.vertx.codegen.annotations.ModuleGen;
