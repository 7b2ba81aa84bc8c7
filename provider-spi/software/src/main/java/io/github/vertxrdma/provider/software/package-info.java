/** Registered memory, posted receives and completions for providers without RDMA hardware. */
package io.github.vertxrdma.provider.software;
