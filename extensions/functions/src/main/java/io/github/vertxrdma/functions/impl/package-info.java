/** Clients, servers and workers, each confined to its event loop unless a class says otherwise. */
package io.github.vertxrdma.functions.impl;
