/** Bugs that are planted into the product while its classes are loaded, for tests that have to find them. */
package io.github.vertxrdma.provider.contract.plants;
