package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.vertx.codegen.annotations.VertxGen;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interfaces of the API are marked for Vert.x's code generator, from which bindings for other languages are made. The compiler runs the
 * generator's checks on what is marked. Interfaces that applications implement, and those with types of the provider SPI, are not for it.
 */
@Timeout(60)
class PublicInterfacesTest {
  @ParameterizedTest
  @ValueSource(classes = {Rdma.class, RdmaServer.class, RdmaHandshake.class, RdmaConnection.class, RdmaMessage.class, RdmaOffer.class,
    MemoryRegion.class, RemoteRegion.class, RegionGrant.class, RdmaBusClient.class})
  void itIsMarkedForTheCodeGenerator(Class<?> type) {
    assertTrue(type.isAnnotationPresent(VertxGen.class));
  }
}
