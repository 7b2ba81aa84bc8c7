/** Programs in C that attack nodes which share memory. */
package io.github.vertxrdma.provider.contract.attack;
