# One file for each process, with the definitions that it needs, its own process first, so that indexes differ; with
# same: definitions in the order of the trace. Variables: folder, same.
/^%process/ { name[$2] = $0; order[++processes] = $2; next }
/^%group/ { group[$2] = $0; groups[++group_count] = $2; next }
/^[%#]/ { if ($1 != "%clc-trace") head = head $0 "\n"; next }
{
  file = sprintf("%s/rank%d.clct", folder, $2)
  if (!(file in begun)) {
    begun[file] = 1
    printf "%%clc-trace 1\n%s", head > file
    if (!same) print name[$2] > file
    for (i = 1; i <= processes; ++i) {
      one = order[same ? i : processes + 1 - i]
      if (same || one != $2) print name[one] > file
    }
    for (i = group_count; i >= 1; --i) print group[groups[i]] > file
  }
  print > file
}
