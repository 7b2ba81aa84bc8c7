package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.OverFabrics;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PersonalitiesTest {
  @ParameterizedTest
  @ValueSource(classes = {ConnectionTest.class, RemoteMemoryTest.class, VerbsRandomFaultsTest.class})
  void fullRunCoversAllPersonalitiesThatConnect(Class<?> test) {
    OverFabrics fabrics = test.getAnnotation(OverFabrics.class);
    Set<String> names = Stream.of(fabrics.value(), fabrics.full()).flatMap(Stream::of)
      .filter(name -> name.startsWith(VerbsInUserSpace.PREFIX))
      .map(name -> name.substring(VerbsInUserSpace.PREFIX.length())).collect(Collectors.toSet());
    assertEquals(new HashSet<>(Nic.personalities()), names);
  }
}
