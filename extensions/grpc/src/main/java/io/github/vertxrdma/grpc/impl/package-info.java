/** Clients and servers. Calls and connections are confined to their contexts unless a class says otherwise. */
package io.github.vertxrdma.grpc.impl;
