/** Implementations of public interfaces: connections, servers, raw mode. */
package io.github.vertxrdma.impl.api;
