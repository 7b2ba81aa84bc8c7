/** Remote memory over links. */
package io.github.vertxrdma.impl.region;
