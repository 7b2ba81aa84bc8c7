/** Clients and servers of calls. A call is confined to its context, a connection to its own, unless a class says otherwise. */
package io.github.vertxrdma.grpc.impl;
