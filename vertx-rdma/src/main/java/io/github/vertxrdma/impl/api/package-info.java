/** Objects that applications hold: connections, servers, tagged messages, raw mode. */
package io.github.vertxrdma.impl.api;
