/** Implementations of public interfaces: connections, servers, tagged messages, raw mode. */
package io.github.vertxrdma.impl.api;
